"""Likeness of two texts: Dice over the character bigrams of the normalised texts, compared in integers.

A bigram that occurs twice counts twice: its second occurrence is a token of its own, so that a set does the work.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import add

from remembrancer.core.entries import normalise

NEAR = 82
BORDERLINE = 60


def tokens(normalised: str) -> frozenset[str]:
    """The bigram multiset of a normalised text, its repeats numbered; empty for less than two characters."""
    found = list(map(add, normalised, normalised[1:]))
    once = frozenset(found)
    if len(once) == len(found):
        return once
    seen: Counter[str] = Counter()
    for gram in found:
        seen[gram] += 1
    return once | {f"{gram}{n}" for gram, count in seen.items() if count > 1 for n in range(2, count + 1)}


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


def rarity(texts: Iterable[str]) -> Mapping[str, int]:
    """How often each bigram occurs in normalised texts: the order in which a prefix is taken."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(map(add, text, text[1:]))
    return counts


class Nearby:
    """Finds which of some texts reach a threshold with a probe, looking only at their rarest bigrams.

    Two texts that reach it share a bigram among the rarest few of each (prefix filter), and are alike in length.
    """

    def __init__(self, percent: int, counts: Mapping[str, int]) -> None:
        self._percent = percent
        self._counts = counts
        self._sets: dict[int, frozenset[str]] = {}
        self._index: defaultdict[str, list[int]] = defaultdict(list)

    def _prefix(self, found: frozenset[str]) -> list[str]:
        # A partner of the same reach shares at least percent/(200 - percent) of the tokens.
        must = -(-len(found) * self._percent // (200 - self._percent))
        size = len(found) - must + 1
        count = self._counts.get
        return sorted(found, key=lambda token: (count(token, 0), token))[:size]

    def add(self, key: int, found: frozenset[str]) -> None:
        """Make the text with these tokens findable under a key."""
        self._sets[key] = found
        for token in self._prefix(found):
            self._index[token].append(key)

    def near(self, found: frozenset[str]) -> Iterator[tuple[int, int, int]]:
        """(key, overlap, sum of sizes) of every added text that reaches the threshold, in any order."""
        index, sets, percent, size = self._index, self._sets, self._percent, len(found)
        candidates: set[int] = set()
        for token in self._prefix(found):
            if token in index:
                candidates.update(index[token])
        for key in candidates:
            other = sets[key]
            total = size + len(other)
            if 200 * min(size, len(other)) >= percent * total:
                overlap = len(found & other)
                if 200 * overlap >= percent * total:
                    yield key, overlap, total
