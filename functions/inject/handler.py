"""POST /v1/memory/inject."""

from typing import Any

from remembrancer.actions.inject import inject
from remembrancer.http import Api
from remembrancer.parts.turn import Turn
from remembrancer.shapes.inject import InjectBody
from remembrancer.wiring import wiring

handler = Api()


@handler.route("POST", "/v1/memory/inject", "read", operation_id="memory_inject_post", tags=["memory"])
def post(body: InjectBody) -> dict[str, Any]:
    turn = Turn(
        session_id=body.session_id,
        turn_id=body.turn_id,
        message=body.message,
        previous_reply=body.previous_reply,
        mode=body.mode,
        compacted=body.compacted,
        budget_tokens=body.budget.tokens,
        format=body.format,
        shape=body.shape,
        sent_in_loop=body.sent_in_loop,
        origin=body.origin,
        verdict=body.verdict,
        screen_active=body.screen_active,
        pages=tuple(body.pages),
        fork_of=body.fork_of,
        now=body.now,
        zone=body.zone,
    )
    return inject(wiring(), handler.space, turn, guest=handler.caller.guest)
