"""GET /v1/health and GET /v1/openapi.json; every path that no route knows ends here as well."""

from pathlib import Path

from aws_lambda_powertools.event_handler import Response

from remembrancer.actions.health import health
from remembrancer.http import JSON, Api, as_json
from remembrancer.wiring import wiring

handler = Api()


@handler.route("GET", "/v1/health", "none", operation_id="health_get", tags=["service"])
def get() -> Response[str]:
    ready, parts = health(wiring())
    return Response(200 if ready else 503, JSON, as_json({"ready": ready, "parts": parts}))


@handler.route("GET", "/v1/openapi.json", "none", operation_id="openapi_get", tags=["service"])
def openapi() -> Response[str]:
    return Response(200, JSON, Path(__file__).with_name("openapi.json").read_text(encoding="utf-8"))
