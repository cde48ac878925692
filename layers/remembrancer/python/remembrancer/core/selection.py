"""Which of the ranked options are taken. Everything is deterministic; chance comes in as a stream of numbers."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from remembrancer.core.entries import normalise
from remembrancer.core.records import record

SMALL = 0.05
SECTIONS_A_PAGE = 3
FLOOR = 0.4
LAMBDA = 0.7
HALF_LIFE_S = 3600.0
MATERIAL = 0.1
MATERIAL_SHARE = 0.2
LEAST_KEPT = 2


@record(frozen=True, slots=True)
class Option:
    """Something that may be taken. `importance` and `recency` are from 0 to 1; `recency` is 0 after a recall."""

    id: str
    score: float
    importance: float = 0.5
    recency: float = 1.0
    page: str = ""
    section: str = ""
    text: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Blend:
    """Weights of the composite score of the recall strategies."""

    score: float = 0.5
    importance: float = 0.3
    recency: float = 0.2

    def of(self, option: Option) -> float:
        """The composite score of an option."""
        return self.score * option.score + self.importance * option.importance + self.recency * option.recency


BLEND = Blend()


def deterministic(options: Iterable[Option], budget: int) -> list[Option]:
    """The default: best first until the next one does not fit into `budget` tokens.

    Importance and anti-repetition are small terms. A page gives at most three sections; of options with the same
    normalised text the best is taken; one that is larger than the whole budget is passed over.
    """
    ordered = sorted(options, key=lambda o: (-(o.score + SMALL * o.importance + SMALL * o.recency), o.id))
    sections: dict[str, set[str]] = {}
    said: set[str] = set()
    taken: list[Option] = []
    left = budget
    for option in ordered:
        text, mine = normalise(option.text), sections.setdefault(option.page, set())
        crowded = bool(option.page) and option.section not in mine and len(mine) >= SECTIONS_A_PAGE
        if option.tokens > budget or crowded or (text and text in said):
            continue
        if option.tokens > left:
            break
        taken.append(option)
        left -= option.tokens
        mine.add(option.section)
        said.add(text)
    return taken


def recency(
    seconds_since_recall: float | None, half_life: float = HALF_LIFE_S, *, faithful: bool = False
) -> float:
    """Anti-repetition: 0 right after a recall, back to 1 with time; 1 when never recalled.

    `faithful` lets a recall in the future (clock skew) be negative.
    """
    if seconds_since_recall is None:
        return 1.0
    value: float = 1 - 0.5 ** (seconds_since_recall / half_life)
    return value if faithful else min(1.0, max(0.0, value))


def elbow(scores: Sequence[float], *, faithful: bool = False) -> int:
    """How many of the descending scores stand before the largest drop, the earliest of equal ones.

    Only a material drop cuts (a tenth on the scale and a fifth of the best score), and at least two are kept.
    `faithful` cuts at every drop.
    """
    drops = [before - after for before, after in pairwise(scores)]
    largest = max(drops, default=0.0)
    if largest <= 0:
        return len(scores)
    place = drops.index(largest) + 1
    if faithful:
        return place
    material = largest >= MATERIAL and largest >= MATERIAL_SHARE * scores[0]
    return max(place, LEAST_KEPT) if material else len(scores)


def pool(options: Iterable[Option], floor: float = FLOOR, *, faithful: bool = False) -> list[Option]:
    """What the recall strategies choose from: over the floor, best first, up to the elbow."""
    kept = sorted((o for o in options if o.score >= floor), key=lambda o: -o.score)
    return kept[: elbow([o.score for o in kept], faithful=faithful)]


@dataclass(frozen=True, slots=True)
class Bid:
    """What one option is worth in one round of `mmr`."""

    option: Option
    composite: float
    penalty: float
    value: float


Alike = Callable[[Option, Option], float]
"""How alike two options are, at most 1."""


def mmr_rounds(
    options: Sequence[Option], alike: Alike, most: float, lam: float = LAMBDA, blend: Blend = BLEND
) -> Iterator[tuple[Bid, list[Bid]]]:
    """Every round of maximal marginal relevance: the winner, and the bids of all that were left.

    Value = lam · composite - (1 - lam) · likeness to the most alike winner so far; ties go to the earlier option.
    Options whose composite is not a number are left out.
    """
    left = [option for option in options if math.isfinite(blend.of(option))]
    taken: list[Option] = []
    while left and len(taken) < most:
        bids = []
        for option in left:
            composite, penalty = blend.of(option), max((alike(option, won) for won in taken), default=0.0)
            bids.append(Bid(option, composite, penalty, lam * composite - (1 - lam) * penalty))
        winner = max(bids, key=lambda bid: bid.value)
        yield winner, bids
        taken.append(winner.option)
        left = [option for option in left if option is not winner.option]


def mmr(
    options: Sequence[Option], alike: Alike, most: float, lam: float = LAMBDA, blend: Blend = BLEND
) -> list[Option]:
    """The winners of the rounds, in order."""
    return [winner.option for winner, _ in mmr_rounds(options, alike, most, lam, blend)]


def pick(weights: Sequence[float], random: float) -> int:
    """The index that a number from 0 to 1 falls on when each index is as wide as its weight; -1 without weight."""
    total = sum(weights)
    if total <= 0:
        return -1
    rest = random * total
    for place, weight in enumerate(weights):
        rest -= weight
        if rest <= 0:
            return place
    return len(weights) - 1


def weighted(
    options: Sequence[Option], stream: Iterator[float], most: int, weight: Callable[[Option], float] = BLEND.of
) -> list[Option]:
    """Draw without replacement, likelier by weight, one number of the stream (0 to 1) a draw."""
    left, taken = list(options), list[Option]()
    while len(taken) < most and left:
        place = pick([weight(option) for option in left], next(stream))
        if place < 0:
            break
        taken.append(left.pop(place))
    return taken
