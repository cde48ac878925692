"""Session records. One transaction a turn, so a record is whole or not there at all.

A turn that changes more residents than fit beside the head puts the others into packed items of the same
transaction: there is no order of several writes that would neither lose what was sent nor claim what was not.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from remembrancer.adapters.dynamodb.attempts import Refused
from remembrancer.adapters.dynamodb.items import Item, pack, unpack
from remembrancer.adapters.dynamodb.keys import session_key
from remembrancer.adapters.dynamodb.selections import event
from remembrancer.adapters.dynamodb.table import ABSENT, Key, Table, Write
from remembrancer.core.sessions import Pick, Resident, SessionRecord
from remembrancer.errors import PreconditionFailed
from remembrancer.ports import Clock

KEEP_S = 30 * 24 * 3600
SINGLE = 90
PACKED = 500
MAX_MEMO = 350_000


class DynamoSessions:
    """See `ports.Sessions`. A reply of more than 350 KB, compressed, is not kept."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self.table = table
        self.clock = clock

    def load(self, space: str, session_id: str) -> SessionRecord:
        now = self._now_s()
        head: Item | None = None
        found: list[tuple[int, int, Resident]] = []  # (rev, epoch, resident)
        for item in self.table.query(session_key(space, session_id)):
            if item["expires_at"] <= now:
                continue
            if item["sk"] == "HEAD":
                head = item
            else:
                found += [(item["rev"], item["epoch"], resident) for resident in _residents(item)]
        if head is None:
            return SessionRecord(session_id)
        record = unpack(SessionRecord, head, session_id=session_id, residents={})
        newest = {
            resident.unit: resident for _, epoch, resident in sorted(found, key=_rev) if epoch == record.epoch
        }
        return replace(record, residents=newest)

    def memo(self, space: str, session_id: str, turn_id: str) -> str | None:
        item = self.table.get((f"{session_key(space, session_id)}#T", turn_id)) if turn_id else None
        if item is None or item["expires_at"] <= self._now_s():
            return None
        return zlib.decompress(item["reply"]).decode()

    def record(
        self,
        space: str,
        record: SessionRecord,
        changed: Sequence[Resident],
        *,
        turn_id: str,
        reply: str,
        picks: Sequence[Pick] = (),
    ) -> None:
        writes = self._whole(space, record, changed)
        packed = zlib.compress(reply.encode("utf-8", "surrogatepass"))
        if turn_id and len(packed) <= MAX_MEMO:
            # the same turn twice at once has one reply, whatever either of them has read
            key = f"{session_key(space, record.session_id)}#T", turn_id
            writes.append(self._new(self._item(key, reply=packed)))
        if picks:
            writes.append(event(self.table, self.clock, space, record.session_id, picks))
        try:
            self.table.transact(writes)
        except Refused:
            raise PreconditionFailed("another turn of this session was faster") from None

    def copy(self, space: str, source: str, target: str) -> None:
        record = self.load(space, source)
        fresh = replace(record, session_id=target, rev=0)
        try:
            self.table.transact(self._whole(space, fresh, list(record.residents.values())))
        except Refused:
            return  # the target has its own record by now, and keeps it

    def _whole(self, space: str, record: SessionRecord, changed: Sequence[Resident]) -> list[Write]:
        """The head with its next rev under its condition, and the changed residents."""
        pk, rev = session_key(space, record.session_id), record.rev + 1
        head = self._item((pk, "HEAD"), **pack(replace(record, rev=rev, residents={})))
        own: dict[str, Any] = {"rev": rev, "epoch": record.epoch}
        items = [self._item((pk, f"U#{resident.unit}"), **pack(resident), **own) for resident in changed[:SINGLE]]
        for start in range(SINGLE, len(changed), PACKED):
            text = json.dumps([pack(resident) for resident in changed[start : start + PACKED]])
            key = pk, f"R#{rev:012d}#{start:06d}"
            items.append(self._item(key, packed=zlib.compress(text.encode()), **own))
        first = self.table.put(head, "#rev = :rev", rev=record.rev) if record.rev else self._new(head)
        return [first, *map(self.table.put, items)]

    def _new(self, item: Item) -> Write:
        """An item that has expired counts as absent, whether or not it has been removed."""
        return self.table.put(item, f"{ABSENT} OR #expires_at <= :now", now=self._now_s())

    def _item(self, key: Key, **values: Any) -> Item:
        return {**values, "pk": key[0], "sk": key[1], "expires_at": self._now_s() + KEEP_S}

    def _now_s(self) -> int:
        return self.clock.now_ms() // 1000


def _residents(item: Item) -> list[Resident]:
    lines = json.loads(zlib.decompress(item["packed"])) if "packed" in item else [item]
    return [unpack(Resident, line) for line in lines]


def _rev(found: tuple[int, int, Resident]) -> int:
    return found[0]
