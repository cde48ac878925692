"""POST /v1/memory/recall."""

from typing import Any

from remembrancer.actions.recall import recall
from remembrancer.http import Api
from remembrancer.shapes.recall import RecallBody
from remembrancer.wiring import wiring

handler = Api()


@handler.route("POST", "/v1/memory/recall", "read", operation_id="memory_recall_post", tags=["memory"])
def post(body: RecallBody) -> dict[str, Any]:
    if handler.caller.guest:
        return {"results": [], "degraded": []}
    return recall(
        wiring(),
        handler.space,
        body.query,
        limit=body.limit,
        kinds=tuple(body.kinds),
        pages=tuple(body.pages),
        after=body.after,
        before=body.before,
        include_superseded=body.include_superseded,
        what=body.what,
        zone=body.zone,
    )
