"""POST /v1/memory/ingest."""

from typing import Any

from remembrancer.actions.ingest import ingest
from remembrancer.http import Api
from remembrancer.shapes.ingest import IngestBody
from remembrancer.wiring import wiring

handler = Api()


@handler.route("POST", "/v1/memory/ingest", "write", operation_id="memory_ingest_post", tags=["memory"])
def post(body: IngestBody) -> dict[str, Any]:
    given = [(page.slug, page.content) for page in body.pages]
    return ingest(wiring(), handler.space, given, dry_run=body.dry_run, overwrite=body.overwrite)
