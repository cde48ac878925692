"""Records of consolidation runs, each as the run wrote it."""

from collections.abc import Mapping
from typing import Any

from remembrancer.adapters.dynamodb.keys import from_cursor, space_key, to_cursor
from remembrancer.adapters.dynamodb.leases import under
from remembrancer.adapters.dynamodb.table import Table
from remembrancer.ports import Lease


class DynamoRuns:
    """See `ports.Runs`."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def put(self, space: str, run: str, record: Mapping[str, Any], *, lease: Lease | None = None) -> None:
        write = self.table.put({"pk": space_key(space, "RUNS"), "sk": run, "record": record})
        under(self.table, space, lease, write)

    def get(self, space: str, run: str) -> dict[str, Any] | None:
        item = self.table.get((space_key(space, "RUNS"), run))
        return dict(item["record"]) if item else None

    def page(self, space: str, *, limit: int, cursor: str = "") -> tuple[list[dict[str, Any]], str]:
        listing = f"runs/{space}"
        more: dict[str, Any] = {}
        if before := from_cursor(listing, cursor):
            more = {"condition": "#sk < :before", "before": before}
        items = list(self.table.query(space_key(space, "RUNS"), limit=limit + 1, newest_first=True, **more))
        following = to_cursor(listing, items[limit - 1]["sk"]) if len(items) > limit else ""
        return [dict(item["record"]) for item in items[:limit]], following
