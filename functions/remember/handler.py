"""POST /v1/memory/remember."""

from typing import Any

from remembrancer.actions.remember import remember
from remembrancer.core.told import Circumstances
from remembrancer.http import Api
from remembrancer.shapes.remember import RememberBody
from remembrancer.wiring import wiring

handler = Api()


@handler.route("POST", "/v1/memory/remember", "write", operation_id="memory_remember_post", tags=["memory"])
def post(body: RememberBody) -> dict[str, Any]:
    about = Circumstances(
        kind=body.kind,
        source=body.source,
        session_id=body.session_id,
        at=body.at,
        zone=body.zone,
        tags=tuple(body.tags),
        category=body.category,
        importance=body.importance,
        speaker=body.speaker,
    )
    return remember(wiring(), handler.space, body.contents, about)
