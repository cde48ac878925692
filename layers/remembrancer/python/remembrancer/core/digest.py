"""What a run needs to know of all filed entries that are active, in a few bytes each and without their texts."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from remembrancer.core.dice import NEAR
from remembrancer.core.entries import KINDS, Entry, normalise, text_hash
from remembrancer.core.names import Heard
from remembrancer.core.plans import occasion, says_done, standing
from remembrancer.core.sketch import candidates, size_of, sketch
from remembrancer.core.statistics import Tally
from remembrancer.core.views import personal, weight
from remembrancer.core.walk import protected
from remembrancer.core.zones import day_of, local

HASH_BYTES = 8


class Row(NamedTuple):
    """One entry: place of its kind in `KINDS`, its day when it is episodic, else 0, and what its text is like.

    From `at_ms` on it says which views the entry may be in; see `core.plans` and `core.views`.
    """

    kind: int
    day: int
    size: int
    text: int
    protected: bool
    at_ms: int
    said_ms: int
    occasion: int
    weight: float
    until: int
    plan: bool
    goal: bool
    done: bool
    personal: bool
    contested: bool
    sketch: int


def row_of(entry: Entry) -> Row:
    """The row of an entry."""
    text = normalise(entry.text)
    until, plan, goal = standing(entry)
    return Row(
        kind=KINDS.index(entry.kind),
        day=day_of(entry.at_ms, entry.zone).toordinal() if entry.kind == "episodic" else 0,
        size=size_of(text),
        text=_short(entry.text),
        protected=protected(entry),
        at_ms=entry.at_ms,
        said_ms=entry.said_ms,
        occasion=_short(occasion(entry)) if entry.kind == "semantic" else 0,
        weight=weight(entry),
        until=until,
        plan=plan,
        goal=goal,
        done=says_done(entry),
        personal=personal(entry),
        contested=bool(entry.conflicts),
        sketch=sketch(text),
    )


def _short(text: str) -> int:
    return int(text_hash(text)[: 2 * HASH_BYTES], 16)


@dataclass(slots=True)
class Digest:
    """Rows by entry id, and counts over them. `made_ms`: read whole; `read_ms`: changes before it are in it.

    `changed` are entries whose text was edited, or that were unpinned, since a run compared them last.
    """

    made_ms: int = 0
    read_ms: int = 0
    rows: dict[str, Row] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    names: Heard = field(default_factory=Heard)
    years: Counter[int] = field(default_factory=Counter)
    changed: set[str] = field(default_factory=set)

    def take(self, entry: Entry) -> bool:
        """Make the digest know the entry as it is now; False when it did already."""
        before = self.rows.get(entry.id)
        if not entry.active or entry.pending:
            return self.drop(entry)
        now = row_of(entry)
        if before == now:
            return False
        self.rows[entry.id] = now
        if before is None:
            self.count(entry, 1)
        elif before.text != now.text or (before.protected and not now.protected):
            # what the old text had counted is unknown by now; the next full reading puts it right
            self.changed.add(entry.id)
        return True

    def drop(self, entry: Entry) -> bool:
        """Forget an entry that is active no more; False when it was not known."""
        before = self.rows.pop(entry.id, None)
        self.changed.discard(entry.id)
        if before is not None and before.text == _short(entry.text):
            self.count(entry, -1)
        return before is not None

    def count(self, entry: Entry, sign: int = 1) -> None:
        """Add an entry to the counts, or (sign -1) take it out."""
        self.tally.add(said(entry), sign)
        self.names.add(entry, sign)
        self.years[local(entry.at_ms, entry.zone).year] += sign

    def alike(self, entries: Iterable[Entry]) -> set[str]:
        """Ids of all that say the same as one of the entries, or may be near it; few others."""
        probes: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        texts = set()
        for entry in entries:
            row = row_of(entry)
            probes[row.kind, row.day].append((row.sketch, row.size))
            texts.add(row.text)
        known: defaultdict[tuple[int, int], dict[int, list[tuple[int, str]]]] = defaultdict(dict)
        found = set()
        for id, row in self.rows.items():
            if row.text in texts:
                found.add(id)
            if (bucket := (row.kind, row.day)) in probes:
                known[bucket].setdefault(row.size, []).append((row.sketch, id))
        for bucket, rows in known.items():
            found.update(candidates(probes[bucket], rows, NEAR))
        return found


def said(entry: Entry) -> str:
    """What the statistics count of an entry: its text behind its speaker."""
    return f"{entry.speaker}: {entry.text}" if entry.speaker else entry.text
