"""Scores of several lists brought onto one scale."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

LEXICAL_SHARE = 0.5
MISSING_SHARE = 0.5


def lexical_scale(scores: Sequence[float | None]) -> list[float]:
    """Scores over their maximum. One that a list lacks (None) counts as half of that list's lowest.

    The list is cut at its size, so what is missing lies somewhere between nothing and its lowest.
    """
    known = [score for score in scores if score is not None]
    top = max(known, default=0.0)
    if top <= 0:
        return [0.0] * len(scores)
    missing = MISSING_SHARE * max(0.0, min(known))
    return [(missing if score is None else score) / top for score in scores]


def cosine_scale(cosines: Sequence[float | None]) -> list[float]:
    """Cosines from 0 (the lowest of them) to 1 (the highest). An unknown one is 0; all are when none differ."""
    known = [cosine for cosine in cosines if cosine is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if high <= low:
        return [0.0] * len(cosines)
    return [0.0 if cosine is None else (cosine - low) / (high - low) for cosine in cosines]


def fuse(lexical: Sequence[float | None], cosines: Sequence[float | None]) -> list[float]:
    """The base score of every candidate: half lexical, half cosine. Without one of them its half is 0 for all."""
    pairs = zip(lexical_scale(lexical), cosine_scale(cosines), strict=True)
    return [LEXICAL_SHARE * words + (1 - LEXICAL_SHARE) * near for words, near in pairs]


def standard_scale(values: Sequence[float | None]) -> list[float]:
    """Distance from the mean in standard deviations of the population; 0 where unknown or when none differ."""
    known = [value for value in values if value is not None]
    if len(known) < 2 or min(known) == max(known):
        return [0.0] * len(values)
    mean = sum(known) / len(known)
    deviation = (sum((value - mean) ** 2 for value in known) / len(known)) ** 0.5
    return [0.0 if value is None or not deviation else (value - mean) / deviation for value in values]


def reciprocal_ranks(lists: Sequence[Sequence[T]], k: int = 60) -> dict[T, float]:
    """Sum of 1 / (k + rank) over the lists; ranks start at 1, and a list without the item adds nothing."""
    scores: dict[T, float] = {}
    for items in lists:
        for rank, item in enumerate(items, 1):
            scores[item] = scores.get(item, 0.0) + 1 / (k + rank)
    return scores
