"""Entries: taking in, reading, counting. What a run changes is in `filing`."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import Any

from remembrancer.adapters.dynamodb.filing import Filing
from remembrancer.adapters.dynamodb.intake import Intake
from remembrancer.adapters.dynamodb.keys import from_cursor, space_key, to_cursor
from remembrancer.adapters.dynamodb.layout import (
    change_mark,
    changes_key,
    counts_key,
    entry_keys,
    from_item,
    gone_key,
    whole,
)
from remembrancer.adapters.dynamodb.table import Table
from remembrancer.core.entries import KINDS, Entry
from remembrancer.errors import Invalid
from remembrancer.ports import Added, Clock, Lease, Move

AT_ONCE = 800


class DynamoEntries:
    """See `ports.Entries`."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self.table = table
        self.clock = clock

    def add(self, space: str, entries: Sequence[Entry]) -> list[Added]:
        return Intake(self.table, space, entries, self.clock.now_ms()).run()

    def settle(self, space: str, moves: Sequence[Move], lease: Lease) -> int:
        return Filing(self.table, space, lease, self.clock.now_ms()).settle([move.entry for move in moves])

    def stamp(self, space: str, entries: Sequence[Entry], lease: Lease) -> int:
        return Filing(self.table, space, lease, self.clock.now_ms()).stamp(entries)

    def restore(self, space: str, entry: Entry, lease: Lease) -> int:
        return Filing(self.table, space, lease, self.clock.now_ms()).restore(entry)

    def pending(self, space: str, *, limit: int, newest_first: bool = False, after: str = "") -> list[Entry]:
        return list(self._by_id(space, "BUFFER", limit=limit, after=after, newest_first=newest_first))

    def get(self, space: str, ids: Sequence[str]) -> dict[str, Entry]:
        return whole(self.table, space, ids, self.table.get_many(entry_keys(space, ids)))

    def page(
        self, space: str, *, status: str, kind: str = "", limit: int, cursor: str = ""
    ) -> tuple[list[Entry], str]:
        listing = f"entries/{space}/{status}/{kind}"
        after = from_cursor(listing, cursor)
        found = list(islice(self._listed(space, status, kind, limit + 1, after), limit + 1))
        if len(found) <= limit:
            return [entry for _, entry in found], ""
        return [entry for _, entry in found[:limit]], to_cursor(listing, found[limit - 1][0])

    def active(self, space: str, kind: str) -> Iterator[Entry]:
        return (entry for _, entry in self._by_time(space, kind, None, ""))

    def changed(self, space: str, since_ms: int) -> Iterator[Entry]:
        since = change_mark(max(since_ms, 0))
        marks = self.table.query(
            changes_key(space), index="by_change", condition="#changed >= :since", since=since
        )
        while some := list(islice(marks, AT_ONCE)):
            yield from map(from_item, self.table.get_many([(mark["pk"], mark["sk"]) for mark in some]))

    def of_session(self, space: str, session_id: str, *, limit: int) -> list[Entry]:
        key = f"{space_key(space)}#{session_id}"
        newest = self.table.query(key, index="by_session", newest_first=True, limit=limit)
        return [from_item(item) for item in newest][::-1]

    def counts(self, space: str) -> dict[str, Any]:
        filed = self.table.get(counts_key(space)) or {}
        active = {kind: filed.get(kind, 0) for kind in KINDS}
        pending = lines = oldest_ms = 0
        for item in self.table.query(space_key(space, "BUFFER"), fields="#text, #kind, #remembered_ms"):
            entry = from_item({"sk": "", **item})
            oldest_ms = oldest_ms or entry.remembered_ms
            pending += 1
            lines += entry.lines
            active[entry.kind] += 1
        return {
            "pending": pending,
            "lines": lines,
            "oldest_ms": oldest_ms,
            "active": active,
            "superseded": filed.get("superseded", 0),
        }

    def forgotten(self, space: str, hashes: Iterable[str]) -> set[str]:
        return {item["sk"] for item in self.table.get_many([gone_key(space, h) for h in hashes])}

    def _listed(self, space: str, status: str, kind: str, limit: int, after: str) -> Iterator[tuple[str, Entry]]:
        """(position, entry), newest first: active by its own time, the others by id."""
        if status == "active":
            kinds = [kind] if kind else KINDS
            streams = [self._by_time(space, k, limit, after) for k in kinds]
            return merge(*streams, key=lambda found: found[0], reverse=True)
        parts = {"pending": ["BUFFER"], "superseded": ["ENTRIES"], "all": ["BUFFER", "ENTRIES"]}
        if status not in parts:
            raise Invalid("one of active, pending, superseded, all", field="status")
        rules = ["attribute_exists(#superseded_by)"] if status == "superseded" else []
        rules += ["#kind = :kind"] if kind else []
        values: dict[str, Any] = {"kind": kind} if kind else {}
        found = [
            self._by_id(space, part, limit=limit, after=after, only=" AND ".join(rules), **values)
            for part in parts[status]
        ]
        return ((entry.id, entry) for entry in merge(*found, key=lambda entry: entry.id, reverse=True))

    def _by_id(
        self, space: str, part: str, *, limit: int, after: str, newest_first: bool = True, **more: Any
    ) -> Iterator[Entry]:
        if after:
            more |= {"condition": f"#sk {'<' if newest_first else '>'} :after", "after": after}
        items = self.table.query(space_key(space, part), limit=limit, newest_first=newest_first, **more)
        return map(from_item, items)

    def _by_time(self, space: str, kind: str, limit: int | None, after: str) -> Iterator[tuple[str, Entry]]:
        more = {"condition": "#ts < :after", "after": after} if after else {}
        key = f"{space_key(space)}#{kind}"
        items = self.table.query(key, index="by_kind", newest_first=True, limit=limit, **more)
        return ((item["ts"], from_item(item)) for item in items)
