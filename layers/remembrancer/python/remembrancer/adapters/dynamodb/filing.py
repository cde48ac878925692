"""Move entries out of the buffer and change filed ones, under the fence of a run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from remembrancer.adapters.dynamodb.changes import Change, Changes
from remembrancer.adapters.dynamodb.items import Item
from remembrancer.adapters.dynamodb.layout import (
    filed_key,
    from_item,
    guard_key,
    head_key,
    pending_key,
    to_item,
)
from remembrancer.adapters.dynamodb.table import ABSENT, PRESENT, Table
from remembrancer.core.entries import Entry
from remembrancer.ports import Lease

OURS = f"{ABSENT} OR #entry = :id"
UNTOLD = "NOT #last_confirmed_ms > :seen AND (attribute_not_exists(#sources) OR size(#sources) <= :known)"
"""Nobody told the fact again after it was read; two may do so in the same millisecond."""


class Filing:
    """One call's changes."""

    def __init__(self, table: Table, space: str, lease: Lease, now_ms: int) -> None:
        self.table = table
        self.now_ms = now_ms
        self.space = space
        self.lease = lease
        self.changes = Changes(table, space, lease)

    def settle(self, entries: Sequence[Entry]) -> int:
        frame = self.table.update(
            head_key(self.space), "SET #frame = :frame ADD #rev :one", frame=self.lease.fence, one=1
        )
        return self.changes.run([Change(entry) for entry in entries], self._move, self._not_moved, [frame])

    def stamp(self, entries: Sequence[Entry]) -> int:
        """Entries that are not filed, or are as they shall be already, are passed over."""
        items = self.table.get_many([filed_key(self.space, entry.id) for entry in entries])
        filed = {item["sk"]: from_item(item) for item in items}
        changes = [
            Change(wanted, filed[entry.id])
            for entry in entries
            if entry.id in filed and (wanted := _confirmed(entry, filed[entry.id])) != filed[entry.id]
        ]
        return self.changes.run(changes, self._overwrite, self._not_overwritten)

    def restore(self, entry: Entry) -> int:
        return self.changes.run([Change(entry)], self._move_back, self._not_moved_back)

    def _move_back(self, change: Change) -> None:
        entry = change.entry
        change.writes = [
            self.table.delete(filed_key(self.space, entry.id), "attribute_exists(#superseded_by)"),
            self.table.put(to_item(pending_key(self.space, entry.id), entry), ABSENT),
        ]
        change.counts = Counter({"superseded": -1})
        self._guard(change, None, entry)

    def _not_moved_back(self, change: Change, found: dict[int, Item]) -> Change | None:
        """None when somebody else was faster; an equal text keeps its guard."""
        return None if found.keys() & {0, 1} else replace(change, guards=False)

    def _move(self, change: Change) -> None:
        entry = change.entry
        change.writes = [
            self.table.delete(pending_key(self.space, entry.id), f"{PRESENT} AND {UNTOLD}", **_told(entry)),
            self.table.put(to_item(filed_key(self.space, entry.id), entry, self.now_ms), ABSENT),
        ]
        change.counts = Counter({_counted(entry): 1})
        self._guard(change, entry, None if not entry.active else entry)

    def _not_moved(self, change: Change, found: dict[int, Item]) -> Change | None:
        """The change to try next: None when the entry has left the buffer already."""
        if 0 in found and not found[0]:
            return None
        if 0 in found:
            return replace(change, entry=_confirmed(change.entry, from_item(found[0])))
        return replace(change, guards=False)

    def _overwrite(self, change: Change) -> None:
        assert change.before is not None
        entry, before = change.entry, change.before
        same = f"#filed_by = :filed_by AND {UNTOLD} AND " + (
            "attribute_not_exists(#superseded_by)" if before.active else "attribute_exists(#superseded_by)"
        )
        change.writes = [
            self.table.put(
                to_item(filed_key(self.space, entry.id), entry, self.now_ms),
                same,
                filed_by=before.filed_by,
                **_told(entry),
            )
        ]
        change.counts = Counter({_counted(entry): 1})
        change.counts.subtract({_counted(before): 1})
        self._guard(change, before if before.active else None, entry if entry.active else None)

    def _not_overwritten(self, change: Change, found: dict[int, Item]) -> Change | None:
        if 0 not in found:
            return replace(change, guards=False)
        if not found[0]:
            return None
        now = from_item(found[0])
        wanted = _confirmed(change.entry, now)
        return replace(change, entry=wanted, before=now) if wanted != now else None

    def _guard(self, change: Change, before: Entry | None, after: Entry | None) -> None:
        """Take the guard of what is not active any more, set the one of what is; another entry's one stays."""
        old = guard_key(self.space, before) if before else None
        new = guard_key(self.space, after) if after else None
        if old == new or not change.guards:
            return
        if old:
            change.writes.append(self.table.delete(old, OURS, id=change.entry.id))
        if new:
            guard = {"pk": new[0], "sk": new[1], "entry": change.entry.id}
            change.writes.append(self.table.put(guard, OURS, id=change.entry.id))


def _confirmed(wanted: Entry, stored: Entry) -> Entry:
    """The wanted state, with what duplicates have told the stored one meanwhile."""
    told = tuple(dict.fromkeys([*wanted.sources, *stored.sources]))
    return replace(wanted, sources=told, last_confirmed_ms=max(wanted.last_confirmed_ms, stored.last_confirmed_ms))


def _counted(entry: Entry) -> str:
    return entry.kind if entry.active else "superseded"


def _told(entry: Entry) -> dict[str, int]:
    return {"seen": entry.last_confirmed_ms, "known": len(entry.sources)}
