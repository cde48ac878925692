"""GET, POST and DELETE /v1/tokens."""

from typing import Any

from aws_lambda_powertools.event_handler import Response

from remembrancer.actions.tokens import create_token, list_tokens, revoke_token
from remembrancer.http import JSON, Api, as_json
from remembrancer.shapes.tokens import TokenBody
from remembrancer.wiring import wiring

handler = Api()


@handler.route("GET", "/v1/tokens", "admin", operation_id="tokens_list", tags=["tokens"])
def list_() -> dict[str, Any]:
    return list_tokens(wiring())


@handler.route("POST", "/v1/tokens", "admin", operation_id="tokens_create", tags=["tokens"])
def create(body: TokenBody) -> Response[str]:
    made = create_token(wiring(), body.spaces, body.scopes, trust=body.trust, label=body.label)
    return Response(201, JSON, as_json(made))


@handler.route("DELETE", "/v1/tokens/{id}", "admin", operation_id="tokens_revoke", tags=["tokens"])
def revoke(id: str) -> dict[str, Any]:
    return revoke_token(wiring(), id)
