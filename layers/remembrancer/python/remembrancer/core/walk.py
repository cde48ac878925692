"""The deterministic pass: which entries are merged into, or superseded by, which others. Nothing is deleted.

Entries are walked in (at, id) order and compared only with entries that are still active at that point. Equal
normalised texts: the newer is stamped by the older (`exact`). Near texts of one kind: the older is stamped by the
newer (`near`). In `guarded` mode near texts that a guard tells apart both stay, as a conflict pair; episodic entries
of different days are different events and are not compared; `faithful` is the plain rule, exact across kinds.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from remembrancer.core.dice import BORDERLINE, NEAR, Nearby, rarity, tokens
from remembrancer.core.entries import NORM_V, Entry, normalise
from remembrancer.core.guards import Features, differing, features
from remembrancer.core.zones import day_of
from remembrancer.errors import Invalid

MAX_CONFLICTS = 20
"""More look-alikes than this are a series, not a contradiction: an entry marks no further ones."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """`loser` gives way to `winner`: by `exact`, `near` or `model`, with Dice and the threshold it passed."""

    loser: str
    winner: str
    rule: str
    score: float
    threshold: float
    norm_v: int = NORM_V


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one pass changes: stamps in walk order, entries confirmed by a copy, new conflict pairs (older, newer).

    `twins` are equal texts of two kinds (older, newer): both stay, and belong on one page.
    """

    stamps: tuple[Stamp, ...] = ()
    confirmed: tuple[str, ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    twins: tuple[tuple[str, str], ...] = ()


def protected(entry: Entry) -> bool:
    """True for what a person decided on: edited, pinned or restored (which pins). It is never stamped."""
    return entry.pinned or entry.edited


def _ordered(entries: Sequence[Entry]) -> list[Entry]:
    once = {entry.id: entry for entry in entries if entry.active}
    return sorted(once.values(), key=lambda entry: (entry.at_ms, entry.id))


def _bucket(entry: Entry, mode: str) -> tuple[str, str]:
    """Entries of different buckets are never near."""
    dated = mode == "guarded" and entry.kind == "episodic"
    return entry.kind, day_of(entry.at_ms, entry.zone) if dated else ""


def _pairs(
    rows: Sequence[Entry], texts: Sequence[str], fresh: Collection[str], mode: str, percent: int
) -> Iterator[tuple[int, int, int, int]]:
    """(older, newer, overlap, sum) of the pairs with a fresh entry that reach the threshold, texts differing."""
    buckets: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for place, entry in enumerate(rows):
        buckets[_bucket(entry, mode)].append(place)
    for bucket in buckets.values():
        new = [place for place in bucket if rows[place].id in fresh]
        if not new or len(bucket) < 2:
            continue
        nearby = Nearby(percent, rarity(texts[place] for place in bucket))
        for place in new:
            nearby.add(place, tokens(texts[place]))
        for place in bucket:
            is_new = rows[place].id in fresh
            for other, overlap, total in nearby.near(tokens(texts[place])):
                # A pair of two fresh entries is found from both sides: take it from the newer.
                if texts[other] != texts[place] and (other < place or not is_new):
                    yield min(other, place), max(other, place), overlap, total


def borderline(
    entries: Sequence[Entry], *, mode: str = "guarded", fresh: Collection[str] | None = None, limit: int = 50
) -> list[tuple[str, str]]:
    """The most alike pairs (older, newer) below the near threshold, for a model to judge."""
    rows = _ordered(entries)
    texts = [normalise(entry.text) for entry in rows]
    new = {entry.id for entry in rows} if fresh is None else fresh
    found = [
        (-overlap / total, rows[older].id, rows[newer].id)
        for older, newer, overlap, total in _pairs(rows, texts, new, mode, BORDERLINE)
        if 200 * overlap < NEAR * total
    ]
    return [(older, newer) for _, older, newer in sorted(found)[:limit]]


def walk(
    entries: Sequence[Entry], *, mode: str = "guarded", fresh: Collection[str] | None = None
) -> Outcome:
    """Compare active entries, in any order. `fresh` are the ids that are new, edited or unpinned since the last frame.

    Pairs without a fresh entry have been decided before; without `fresh` every pair is looked at.
    """
    if mode not in ("guarded", "faithful"):
        raise Invalid("guarded or faithful", field="mode")
    rows = _ordered(entries)
    texts = [normalise(entry.text) for entry in rows]
    new = {entry.id for entry in rows} if fresh is None else fresh
    traits: dict[int, Features] = {}

    def told_apart(older: int, newer: int) -> bool:
        if mode == "faithful":
            return False
        for place in (older, newer):
            if place not in traits:
                traits[place] = features(rows[place].text)
        return bool(differing(traits[older], traits[newer]))

    near: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    apart: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
    for older, newer, overlap, total in _pairs(rows, texts, new, mode, NEAR):
        if protected(rows[older]) or told_apart(older, newer):
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
    confirmed = dict.fromkeys(s.winner for s in stamps if s.rule == "exact")
    return Outcome(tuple(stamps), tuple(confirmed), _conflicts(rows, apart, gone), _twins(rows, texts, gone, new))


def _conflicts(
    rows: Sequence[Entry], apart: Mapping[int, array[int]], gone: Collection[int]
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
    """Neighbouring entries of equal text that both stay, one of them new."""
    last: dict[str, int] = {}
    found = []
    for place, text in enumerate(texts):
        if place in gone:
            continue
        other = last.get(text)
        if other is not None and (rows[place].id in new or rows[other].id in new):
            found.append((rows[other].id, rows[place].id))
        last[text] = place
    return tuple(found)


def apply(entries: Sequence[Entry], outcome: Outcome, run: str, now_ms: int) -> list[Entry]:
    """The changed entries, by id: losers stamped (and filed by the run), winners confirmed, conflicts marked."""
    before = {entry.id: entry for entry in entries}
    after = dict(before)
    for stamp in outcome.stamps:
        loser, winner = after[stamp.loser], after[stamp.winner]
        after[loser.id] = replace(
            loser,
            superseded_by=winner.id,
            rule=stamp.rule,
            score=stamp.score,
            filed_by=loser.filed_by or run,
        )
        if stamp.rule == "exact":
            seen = max(winner.last_confirmed_ms, loser.last_confirmed_ms, min(loser.at_ms, now_ms))
            sources = dict.fromkeys((*winner.sources, *loser.sources, *filter(None, [loser.source])))
            after[winner.id] = replace(winner, last_confirmed_ms=seen, sources=tuple(sources))
        for other in loser.conflicts:
            if other in after:
                left = tuple(id for id in after[other].conflicts if id != loser.id)
                after[other] = replace(after[other], conflicts=left)
    for pair in outcome.conflicts:
        for one, other in (pair, pair[::-1]):
            after[one] = replace(after[one], conflicts=(*after[one].conflicts, other))
    return [
        replace(entry, rev=entry.rev + 1) for id, entry in sorted(after.items()) if entry != before[id]
    ]


def resolve(superseded_by: Mapping[str, str], id: str) -> str:
    """The last winner of an entry's chain, itself when it is active. A cycle is refused."""
    seen = {id}
    while winner := superseded_by.get(id, ""):
        if winner in seen:
            raise Invalid("the chain of supersession ends in itself", field="superseded_by")
        seen.add(winner)
        id = winner
    return id
