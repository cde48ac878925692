"""POST /v1/consolidation/run-now and GET /v1/consolidation/status, /runs, /runs/{id}."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from remembrancer.actions.consolidation import get_run, list_runs, run_now, status
from remembrancer.http import Api
from remembrancer.wiring import wiring

handler = Api()
Limit = Annotated[int, Query(ge=1, le=100)]


@handler.route(
    "POST", "/v1/consolidation/run-now", "write", operation_id="consolidation_run_now", tags=["consolidation"]
)
def run() -> dict[str, Any]:
    return run_now(wiring(), handler.space)


@handler.route(
    "GET", "/v1/consolidation/status", "read", operation_id="consolidation_status", tags=["consolidation"]
)
def get_status() -> dict[str, Any]:
    return status(wiring(), handler.space)


@handler.route("GET", "/v1/consolidation/runs", "read", operation_id="consolidation_runs", tags=["consolidation"])
def runs(limit: Limit = 20, cursor: str = "") -> dict[str, Any]:
    return list_runs(wiring(), handler.space, limit=limit, cursor=cursor)


@handler.route(
    "GET", "/v1/consolidation/runs/{id}", "read", operation_id="consolidation_run", tags=["consolidation"]
)
def one(id: str) -> dict[str, Any]:
    return get_run(wiring(), handler.space, id)
