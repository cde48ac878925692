"""GET /v1/memory/entries, and POST …/{id}/restore."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from remembrancer.actions.entries import get_entry, list_entries, restore_entry
from remembrancer.http import Api
from remembrancer.wiring import wiring

handler = Api()
Limit = Annotated[int, Query(ge=1, le=100)]


@handler.route("GET", "/v1/memory/entries", "read", operation_id="memory_entries_list", tags=["memory"])
def list_(status: str = "active", kind: str = "", limit: Limit = 50, cursor: str = "") -> dict[str, Any]:
    return list_entries(wiring(), handler.space, status=status, kind=kind, limit=limit, cursor=cursor)


@handler.route("GET", "/v1/memory/entries/{id}", "read", operation_id="memory_entry_get", tags=["memory"])
def get(id: str) -> dict[str, Any]:
    return get_entry(wiring(), handler.space, id)


@handler.route(
    "POST", "/v1/memory/entries/{id}/restore", "write", operation_id="memory_entry_restore", tags=["memory"]
)
def restore(id: str) -> dict[str, Any]:
    return restore_entry(wiring(), handler.space, id)
