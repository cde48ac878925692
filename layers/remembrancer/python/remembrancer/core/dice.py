"""Likeness of two texts: Dice over the character bigrams of the normalised texts, compared in integers.

A bigram that occurs twice counts twice: its second occurrence is a token of its own, so that a set does the work.
"""

import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from operator import add

from remembrancer.core.entries import normalise

NEAR = 82
BORDERLINE = 60
CROWD = 512


def tokens(normalised: str) -> frozenset[str]:
    """The bigram multiset of a normalised text, its repeats numbered; empty for less than two characters."""
    found = list(map(add, normalised, normalised[1:]))
    once = frozenset(found)
    if len(once) == len(found):
        return once
    repeats = [(gram, count) for gram, count in Counter(found).items() if count > 1]
    return once.union(f"{gram}{n}" for gram, count in repeats for n in range(2, count + 1))


def reaches(overlap: int, total: int, percent: int) -> bool:
    """True when Dice 2·overlap/total is at least percent/100; `total` is the sum of both sizes."""
    return overlap > 0 and 200 * overlap >= percent * total


def length_can_reach(one: int, other: int, percent: int) -> bool:
    """True when texts of so many bigrams could reach the threshold at best."""
    return reaches(min(one, other), one + other, percent)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two texts are: `exact`, and the shared and the summed bigrams."""

    exact: bool
    overlap: int
    sizes: tuple[int, int]

    @property
    def score(self) -> float:
        """Dice, 1 for equal texts."""
        total = sum(self.sizes)
        return 1.0 if self.exact else 2 * self.overlap / total if total else 0.0

    @property
    def near(self) -> bool:
        """Different texts at or over the near threshold."""
        return not self.exact and reaches(self.overlap, sum(self.sizes), NEAR)

    @property
    def borderline(self) -> bool:
        """Different texts below the near threshold, at or over the borderline threshold."""
        return not self.exact and not self.near and reaches(self.overlap, sum(self.sizes), BORDERLINE)


def likeness(one: str, other: str) -> Likeness:
    """Compare two texts as they were written."""
    a, b = normalise(one), normalise(other)
    left, right = tokens(a), tokens(b)
    return Likeness(a == b, len(left & right), (len(left), len(right)))


class _Crowd:
    """Some fresh texts, whose overlaps with a probe are counted all at once.

    Every bigram has one big integer with 32 bits for each fresh text, 1 where the text has it: their sum over the
    probe's bigrams holds all overlaps.
    """

    def __init__(self, texts: Sequence[str], percent: int) -> None:
        self._percent = percent
        self._sizes = [max(len(text) - 1, 0) for text in texts]
        self._reachable: dict[int, bool] = {}
        self._lanes: defaultdict[str, int] = defaultdict(int)
        for lane, text in enumerate(texts):
            for token in tokens(text):
                self._lanes[token] |= 1 << 32 * lane

    def near(self, text: str) -> Iterator[tuple[int, int, int]]:
        """(lane, overlap, sum of sizes) of the fresh texts that reach the threshold."""
        size = max(len(text) - 1, 0)
        if size not in self._reachable:
            self._reachable[size] = any(length_can_reach(size, n, self._percent) for n in self._sizes)
        if not self._reachable[size]:
            return
        lanes = self._lanes
        summed = sum(lanes[token] for token in tokens(text) if token in lanes)
        counted = array("I", summed.to_bytes(4 * len(self._sizes), sys.byteorder))
        if sys.byteorder == "big":
            counted.reverse()
        if max(counted) * (200 - self._percent) < self._percent * size:
            return
        for lane, overlap in enumerate(counted):
            total = size + self._sizes[lane]
            if overlap and 200 * overlap >= self._percent * total:
                yield lane, overlap, total


def pairs(
    texts: Sequence[str], buckets: Sequence[Hashable], fresh: Collection[int], percent: int
) -> Iterator[tuple[int, int, int, int]]:
    """(lower place, higher place, overlap, sum of sizes) of differing normalised texts that reach the threshold.

    Only pairs inside one bucket with at least one place of `fresh`, each once, in any order.
    """
    members: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, bucket in enumerate(buckets):
        members[bucket].append(place)
    for group in members.values():
        new = [place for place in group if place in fresh] if len(group) > 1 else []
        for start in range(0, len(new), CROWD):
            lanes = new[start : start + CROWD]
            crowd = _Crowd([texts[place] for place in lanes], percent)
            for place in group:
                text, known = texts[place], place not in fresh
                for lane, overlap, total in crowd.near(text):
                    other = lanes[lane]
                    # Two fresh places find each other: the pair is taken from the higher one.
                    if (known or other < place) and texts[other] != text:
                        yield min(other, place), max(other, place), overlap, total
