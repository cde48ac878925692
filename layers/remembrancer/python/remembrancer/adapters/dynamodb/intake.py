"""Take in new entries: with their guards, in one transaction for up to 33 of them."""

from collections.abc import Sequence

from remembrancer.adapters.dynamodb.attempts import Refused
from remembrancer.adapters.dynamodb.items import to_wire
from remembrancer.adapters.dynamodb.layout import change_mark, filed_key, gone_key, guard_key, pending_key, to_item
from remembrancer.adapters.dynamodb.table import ABSENT, PRESENT, Table, Write
from remembrancer.core.entries import Entry, text_hash
from remembrancer.errors import Conflict, RemembrancerError
from remembrancer.ports import Added

AT_ONCE = 33
ROUNDS = 8


class Intake:
    """One call's new entries on their way in."""

    def __init__(self, table: Table, space: str, entries: Sequence[Entry], now_ms: int) -> None:
        self.table = table
        self.now_ms = now_ms
        self.space = space
        self.entries = entries
        self.done: dict[int, Added] = {}
        for entry in entries:
            to_wire(to_item(pending_key(space, entry.id), entry))  # all sizes are checked before the first write

    def run(self) -> list[Added]:
        """Store what is new, confirm what is known; the replies in order."""
        for _ in range(ROUNDS):
            # one transaction may touch the tombstone of a text once, so equal texts take turns
            firsts: dict[str, int] = {}
            for place in self._open():
                firsts.setdefault(text_hash(self.entries[place].text), place)
            places = list(firsts.values())
            for start in range(0, len(places), AT_ONCE):
                self._store(places[start : start + AT_ONCE])
            self._repeat(places)
            if not self._open():
                return [self.done[place] for place in range(len(self.entries))]
        raise Conflict("an equal text keeps changing hands", retry_after_s=1)

    def _open(self) -> list[int]:
        return [place for place in range(len(self.entries)) if place not in self.done]

    def _repeat(self, firsts: Sequence[int]) -> None:
        """Decide about the other entries of this call that say the same as one that is decided."""
        known = {guard_key(self.space, self.entries[i]): self.done[i] for i in firsts if i in self.done}
        for place in self._open():
            first = known.get(guard_key(self.space, self.entries[place]))
            if first and first.status == "suppressed":
                self.done[place] = first
            elif first and self._confirm(first.id, self.entries[place]):
                self.done[place] = Added("duplicate", first.id)

    def _store(self, places: list[int]) -> None:
        """Store these, or else find out about those that are known and store the rest."""
        while places:
            try:
                self.table.transact([write for place in places for write in self._writes(self.entries[place])])
            except Refused as refused:
                blamed = {spot // 3: spot % 3 for spot in sorted(refused.found, reverse=True)}
                for spot, part in blamed.items():
                    guard = refused.found.get(3 * spot + 1, {})
                    self._refused(places[spot], part, str(guard.get("entry", "")))
                places = [place for spot, place in enumerate(places) if spot not in blamed]
            else:
                self.done |= {place: Added("stored", self.entries[place].id) for place in places}
                return

    def _writes(self, entry: Entry) -> list[Write]:
        space, guard = self.space, guard_key(self.space, entry)
        return [
            self.table.check(gone_key(space, text_hash(entry.text)), ABSENT),
            self.table.put({"pk": guard[0], "sk": guard[1], "entry": entry.id}, ABSENT),
            self.table.put(to_item(pending_key(space, entry.id), entry), ABSENT),
        ]

    def _refused(self, place: int, part: int, live: str) -> None:
        """Decide about one entry: forgotten, or a duplicate of `live`. Undecided ones have another round."""
        entry = self.entries[place]
        if part == 0:
            self.done[place] = Added("suppressed", "")
        elif live == entry.id:
            self.done[place] = Added("stored", live)  # by an earlier attempt whose reply was lost
        elif not live:
            raise RemembrancerError("the id of a new entry is taken")
        elif self._confirm(live, entry):
            self.done[place] = Added("duplicate", live)

    def _confirm(self, live: str, entry: Entry) -> bool:
        """Note on the live entry that the fact was told again; False when it is not live any more."""
        change = "SET #last_confirmed_ms = :at, #changed = :changed"
        values: dict[str, object] = {"at": entry.last_confirmed_ms, "changed": change_mark(self.now_ms)}
        if entry.source:
            change += " ADD #sources :source"
            values["source"] = frozenset([entry.source])
        for key in (pending_key(self.space, live), filed_key(self.space, live)):
            condition = f"{PRESENT} AND attribute_not_exists(#superseded_by)"
            try:
                self.table.write(self.table.update(key, change, condition, **values))
            except Refused:
                continue
            return True
        return False
