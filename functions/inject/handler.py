"""POST /v1/memory/inject."""

from typing import Any

from remembrancer.actions.inject import Turn, inject
from remembrancer.http import Api
from remembrancer.shapes.inject import InjectBody
from remembrancer.wiring import wiring

handler = Api()


@handler.route("POST", "/v1/memory/inject", "read", operation_id="memory_inject_post", tags=["memory"])
def post(body: InjectBody) -> dict[str, Any]:
    turn = Turn(
        session_id=body.session_id,
        turn_id=body.turn_id,
        message=body.message,
        mode=body.mode,
        compacted=body.compacted,
        budget_tokens=body.budget.tokens,
        now=body.now,
        zone=body.zone,
    )
    return inject(wiring(), handler.space, turn, guest=handler.caller.guest)
