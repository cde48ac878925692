"""POST /v1/memory/recall."""

from typing import Any

from remembrancer.actions.recall import recall
from remembrancer.http import Api
from remembrancer.parts.look import Look
from remembrancer.shapes.recall import RecallBody
from remembrancer.wiring import wiring

handler = Api()


@handler.route("POST", "/v1/memory/recall", "read", operation_id="memory_recall_post", tags=["memory"])
def post(body: RecallBody) -> dict[str, Any]:
    if handler.caller.guest:
        return {"results": [], "degraded": []}
    asked = {**body.model_dump(exclude={"space"}), "kinds": tuple(body.kinds), "pages": tuple(body.pages)}
    return recall(wiring(), handler.space, Look(**asked))
