"""What may be injected: candidates in the order in which they are tried, and what a session holds of them."""

from collections.abc import Iterable, Iterator, Sequence

from remembrancer.core.entries import Entry
from remembrancer.core.records import record
from remembrancer.core.sessions import Resident, line_prints, opening_print, section_id
from remembrancer.core.tokens import count
from remembrancer.core.units import Unit

MATCHED = ("match", "reply")
BUFFER = "buffer"
LONG_TOKENS = 400


@record(frozen=True, slots=True)
class Candidate:
    """One unit that a lane offers; the score is comparable inside its lane."""

    unit: Unit
    lane: str
    score: float


@record(frozen=True, slots=True)
class Item:
    """One passage or entry that may be shown. `entry` is empty for a passage, `slug` and `key` for an entry.

    `section` is what its unit id starts with; `text` is never blank; `prints` are those of its lines. `cites` are
    the entries that it cites, `whole_cites` those of the whole section.
    """

    section: str
    text: str
    prints: tuple[str, ...]
    lane: str
    score: float
    slug: str = ""
    key: str = ""
    entry: str = ""
    ordinal: int = 0
    whole: str = ""
    kind: str = ""
    dated_ms: int | None = None
    cites: tuple[str, ...] = ()
    whole_cites: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")


class Known:
    """What a session holds: residents that have not been pruned, found by section and by entry."""

    def __init__(self, residents: Iterable[Resident]) -> None:
        self._sections: dict[str, list[Resident]] = {}
        self._cited: dict[str, list[Resident]] = {}
        for resident in residents:
            if not resident.pruned:
                self._sections.setdefault(resident.section, []).append(resident)
                for entry in resident.entries:
                    self._cited.setdefault(entry, []).append(resident)

    def holders(self, item: Item) -> list[Resident]:
        """The units that hold the whole item, or the entries that say the same; none when any of it is new."""
        units = self._sections.get(item.section, [])
        here = [r for r in units if not r.prints or not set(item.prints).isdisjoint(r.prints)]
        if any(not r.prints for r in here) or (here and set(item.prints) <= self.prints(item.section)):
            return here
        if item.entry:
            return [r for r in self._cited.get(item.entry, []) if r.unit != item.entry]
        raw = [self._sections.get(entry, []) for entry in item.cites]
        return [r for held in raw for r in held] if raw and all(raw) else []

    def prints(self, section: str) -> set[str]:
        """Fingerprints of all lines of a section that the session holds."""
        return {p for r in self._sections.get(section, []) for p in r.prints}

    def lines_held(self, item: Item) -> int:
        """How many of the item's first lines were sent as an excerpt of it."""
        held = self.prints(item.section)
        sizes = range(len(item.lines) - 1, 0, -1) if held else ()
        return next((n for n in sizes if opening_print(item.lines[:n]) in held), 0)


def in_order(candidates: Sequence[Candidate], fresh: Sequence[Entry]) -> Iterator[Item]:
    """New entries first, newest first; then the candidates, passages and entries in turn where both match.

    A candidate whose first line alone is very long comes last, or it would keep all others out of a small budget.
    """
    newest = sorted(fresh, key=lambda e: e.id, reverse=True)
    yield from (item for e in newest if (item := _of_entry(e)).prints)
    late: list[Item] = []
    for candidate in _alternating(candidates):
        item = _of_unit(candidate)
        if item.prints and count(item.lines[0]) > LONG_TOKENS:
            late.append(item)
        elif item.prints:
            yield item
    yield from late


def _alternating(candidates: Sequence[Candidate]) -> list[Candidate]:
    matched = [c for c in candidates if c.lane in MATCHED]
    passages = [c for c in matched if c.unit.type != "entry"]
    entries = [c for c in matched if c.unit.type == "entry"]
    first, second = (entries, passages) if matched and matched[0].unit.type == "entry" else (passages, entries)
    both = min(len(first), len(second))
    turns = [c for pair in zip(first[:both], second[:both], strict=True) for c in pair]
    replaced = iter([*turns, *first[both:], *second[both:]])
    return [next(replaced) if c.lane in MATCHED else c for c in candidates]


def _of_unit(candidate: Candidate) -> Item:
    unit, text = candidate.unit, _trimmed(candidate.unit.shown)
    prints = line_prints(text)
    if unit.type == "entry":
        return Item(
            unit.parent, text, prints, candidate.lane, candidate.score,
            entry=unit.parent, kind=unit.kind, dated_ms=unit.at_ms, cites=(unit.parent,),
        )  # fmt: skip
    return Item(
        section_id(unit.parent, unit.section), text, prints, candidate.lane, candidate.score,
        slug=unit.parent, key=unit.section, ordinal=unit.ordinal, whole=_trimmed(unit.whole),
        dated_ms=unit.fresh_ms, cites=unit.entries, whole_cites=unit.whole_entries,
    )  # fmt: skip


def _of_entry(entry: Entry) -> Item:
    text = _trimmed(entry.text)
    return Item(
        entry.id, text, line_prints(text), BUFFER, 1.0,
        entry=entry.id, kind=entry.kind, dated_ms=entry.at_ms, cites=(entry.id,),
    )  # fmt: skip


def _trimmed(text: str) -> str:
    return text.strip("\r\n")
