"""The deterministic pass: which entries are merged into, or superseded by, which others. Nothing is deleted.

Entries are walked in (at, id) order and compared only with entries that are still active at that point. Equal
normalised texts: the newer is stamped by the older (`exact`). Near texts of one kind: the older is stamped by the
newer (`near`). In `guarded` mode near texts that a guard tells apart both stay, as a conflict pair; episodic
entries of different days are different events and not compared. `faithful` is the plain rule, exact across kinds.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from remembrancer.core.dice import BORDERLINE, NEAR, pairs
from remembrancer.core.entries import Entry, normalise
from remembrancer.core.guards import Features, features, told_apart
from remembrancer.core.stamps import Outcome, Stamp
from remembrancer.core.zones import day_of
from remembrancer.errors import Invalid

MAX_CONFLICTS = 20
"""More look-alikes than this are a series, not a contradiction: an entry marks no further ones."""


def protected(entry: Entry) -> bool:
    """True for what a person decided on: edited, pinned or restored (which pins). It is never stamped."""
    return entry.pinned or entry.edited


def _ordered(entries: Sequence[Entry]) -> list[Entry]:
    once = {entry.id: entry for entry in entries if entry.active}
    return sorted(once.values(), key=lambda entry: (entry.at_ms, entry.id))


def _alike(
    rows: Sequence[Entry], texts: Sequence[str], fresh: Collection[str], mode: str, percent: int
) -> Iterator[tuple[int, int, int, int]]:
    def bucket(entry: Entry) -> tuple[str, str]:
        dated = mode == "guarded" and entry.kind == "episodic"
        return entry.kind, str(day_of(entry.at_ms, entry.zone)) if dated else ""

    new = {place for place, entry in enumerate(rows) if entry.id in fresh}
    return pairs(texts, list(map(bucket, rows)), new, percent)


def borderline(
    entries: Sequence[Entry], *, mode: str = "guarded", fresh: Collection[str] | None = None, limit: int = 50
) -> list[tuple[str, str]]:
    """The most alike pairs (older, newer) below the near threshold, for a model to judge."""
    rows = _ordered(entries)
    texts = [normalise(entry.text) for entry in rows]
    new = {entry.id for entry in rows} if fresh is None else fresh
    found = [
        (-overlap / total, rows[older].id, rows[newer].id)
        for older, newer, overlap, total in _alike(rows, texts, new, mode, BORDERLINE)
        if 200 * overlap < NEAR * total
    ]
    return [(older, newer) for _, older, newer in sorted(found)[:limit]]


def walk(entries: Sequence[Entry], *, mode: str = "guarded", fresh: Collection[str] | None = None) -> Outcome:
    """Compare active entries, in any order. `fresh` ids are new, edited or unpinned since the last frame.

    Pairs without a fresh entry have been decided before; without `fresh` every pair is looked at.
    """
    if mode not in ("guarded", "faithful"):
        raise Invalid("guarded or faithful", field="mode")
    rows = _ordered(entries)
    texts = [normalise(entry.text) for entry in rows]
    new = {entry.id for entry in rows} if fresh is None else fresh
    traits: dict[int, Features] = {}
    near: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    apart: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
    for older, newer, overlap, total in _alike(rows, texts, new, mode, NEAR):
        if mode == "guarded":
            for place in (older, newer):
                if place not in traits:
                    traits[place] = features(rows[place].text)
            if told_apart(traits[older], traits[newer]):
                apart[newer].append(older)
                continue
        if protected(rows[older]):
            apart[newer].append(older)
        else:
            near[newer].append((older, 2 * overlap / total))

    stamps: list[Stamp] = []
    gone: set[int] = set()
    first: dict[tuple[str, str], int] = {}

    def stamp(loser: int, winner: int, rule: str, score: float, threshold: float) -> None:
        stamps.append(Stamp(rows[loser].id, rows[winner].id, rule, score, threshold))
        gone.add(loser)

    for place, entry in enumerate(rows):
        key = (entry.kind if mode == "guarded" else "", texts[place])
        same = first.get(key)
        if same is None or same in gone:
            first[key] = place
        elif not protected(entry):
            stamp(place, same, "exact", 1.0, 1.0)
            continue
        elif not protected(rows[same]):
            stamp(same, place, "exact", 1.0, 1.0)
            first[key] = place
        for older, score in sorted(near[place]):
            if older not in gone:
                stamp(older, place, "near", score, NEAR / 100)
    confirmed = tuple((s.winner, s.loser) for s in stamps if s.rule == "exact")
    return Outcome(tuple(stamps), confirmed, _conflicts(rows, apart, gone), _twins(rows, texts, gone, new))


def _conflicts(
    rows: Sequence[Entry], apart: "Mapping[int, array[int]]", gone: Collection[int]
) -> tuple[tuple[str, str], ...]:
    """New pairs whose entries both stay; the newest entries and their newest partners come first to the cap."""
    lost = {rows[place].id for place in gone}
    marked = Counter({p: len(set(row.conflicts) - lost) for p, row in enumerate(rows) if row.conflicts})
    found = []
    for newer in sorted(apart.keys() - gone, reverse=True):
        for older in sorted(apart[newer], reverse=True):
            if marked[newer] >= MAX_CONFLICTS:
                break
            known = rows[older].id in rows[newer].conflicts or rows[newer].id in rows[older].conflicts
            if older not in gone and not known and marked[older] < MAX_CONFLICTS:
                found.append((older, newer))
                marked.update((older, newer))
    return tuple((rows[older].id, rows[newer].id) for older, newer in sorted(found))


def _twins(
    rows: Sequence[Entry], texts: Sequence[str], gone: Collection[int], new: Collection[str]
) -> tuple[tuple[str, str], ...]:
    """Neighbouring entries of equal text and different kinds that both stay, one of them new."""
    last: dict[str, Entry] = {}
    found = []
    for place, (entry, text) in enumerate(zip(rows, texts, strict=True)):
        if place not in gone:
            other = last.get(text, entry)
            if other.kind != entry.kind and (entry.id in new or other.id in new):
                found.append((other.id, entry.id))
            last[text] = entry
    return tuple(found)
