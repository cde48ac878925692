"""Space heads, and the list of spaces that the nightly run goes through."""

from collections.abc import Mapping
from typing import Any

from remembrancer.adapters.dynamodb.attempts import Refused
from remembrancer.adapters.dynamodb.items import unpack
from remembrancer.adapters.dynamodb.keys import from_cursor, space_key, to_cursor
from remembrancer.adapters.dynamodb.layout import head_key
from remembrancer.adapters.dynamodb.leases import under
from remembrancer.adapters.dynamodb.table import Table
from remembrancer.core.catalogue import SpaceHead
from remembrancer.errors import Invalid
from remembrancer.ports import Lease

LISTING = "spaces"
LINE = ("pending", "lines", "last_write_ms", "created_ms")
FIELDS = frozenset(SpaceHead.__slots__) - {"space", "rev"}


class DynamoSpaces:
    """See `ports.Spaces`. `zone` is the one of spaces that name none."""

    def __init__(self, table: Table, zone: str) -> None:
        self.table = table
        self.zone = zone

    def head(self, space: str) -> SpaceHead:
        return unpack(SpaceHead, {"zone": self.zone, **(self.table.get(head_key(space)) or {})}, space=space)

    def update(self, space: str, changes: Mapping[str, Any], *, lease: Lease | None = None) -> None:
        for name in changes:
            _check_field(name)
        sets = ", ".join(f"#{name} = :{name}" for name in changes)
        change = (f"SET {sets} " if sets else "") + "ADD #rev :one"
        under(self.table, space, lease, self.table.update(head_key(space), change, one=1, **changes))

    def set_entry(self, space: str, group: str, key: str, value: Any, *, lease: Lease | None = None) -> None:
        _check_field(group)
        create = self.table.update(head_key(space), f"SET #{group} = if_not_exists(#{group}, :empty)", empty={})
        change = self.table.update(
            head_key(space),
            f"SET #{group}.#entry = :value ADD #rev :one",
            f"attribute_exists(#{group})",
            value=value,
            one=1,
        )
        change["Update"]["ExpressionAttributeNames"]["#entry"] = key
        try:
            under(self.table, space, lease, change)
        except Refused:
            under(self.table, space, lease, create)
            under(self.table, space, lease, change)

    def note(self, space: str, *, pending: int, lines: int, now_ms: int) -> int:
        space_key(space)  # refuses what is not a space
        told: dict[str, Any] = {"pending": pending, "lines": lines, "now": now_ms}
        created = "#created_ms = if_not_exists(#created_ms, :now)"
        change = f"SET #pending = :pending, #lines = :lines, #last_write_ms = :now, {created}"
        before = self.table.write(self.table.update(("SPACES", space), change, **told), before=True)
        return int(before.get("lines", 0))

    def all(self, *, limit: int, cursor: str = "") -> tuple[list[dict[str, Any]], str]:
        more: dict[str, Any] = {}
        if after := from_cursor(LISTING, cursor):
            more = {"condition": "#sk > :after", "after": after}
        items = list(self.table.query("SPACES", limit=limit + 1, **more))
        lines = [{"space": item["sk"], **{k: item[k] for k in LINE}} for item in items[:limit]]
        return lines, to_cursor(LISTING, lines[-1]["space"]) if len(items) > limit else ""


def _check_field(name: str) -> None:
    if name not in FIELDS:
        raise Invalid("no such field of a space", field=name)
