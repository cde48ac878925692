"""Edges that use teaches: pages that are selected together more often than chance says."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

HALF_LIFE_DAYS = 30.0
WINDOW_DAYS = 90.0
MIN_MASS = 3.0
NPMI_FLOOR = 0.2
MAX_PER_PAGE = 6
_EPSILON = 1e-9


def group_calls(rows: Iterable[tuple[str, int, str]]) -> list[list[str]]:
    """Selections (conversation, at_ms, slug) by call, that is by conversation and time, in order of appearance."""
    calls: dict[tuple[str, int], list[str]] = {}
    for conversation, at_ms, slug in rows:
        calls.setdefault((conversation, at_ms), []).append(slug)
    return list(calls.values())


def learned_edges(
    calls: Iterable[tuple[Sequence[str], float]],
    *,
    known: Collection[str] | None = None,
    half_life_days: float = HALF_LIFE_DAYS,
    window_days: float = WINDOW_DAYS,
    min_mass: float = MIN_MASS,
    npmi_floor: float = NPMI_FLOOR,
    max_per_page: int = MAX_PER_PAGE,
) -> dict[str, list[tuple[str, float]]]:
    """Page to its strongest companions with their NPMI, best first. `calls` are (pages, age in days).

    A call weighs 2^(-age/half-life), calls of the future 1; pages that are not `known` do not count.
    """
    alone: defaultdict[str, float] = defaultdict(float)
    together: defaultdict[tuple[str, str], float] = defaultdict(float)
    total = 0.0
    # Calls of one age and one set weigh the same: the mass of n of them is n times one, without summing errors.
    counted = Counter((frozenset(pages), age) for pages, age in calls)
    for (pages, age), times in counted.items():
        live = sorted(page for page in pages if known is None or page in known)
        if not live or age > window_days:
            continue
        mass = times * 2 ** (-max(age, 0.0) / half_life_days)
        total += mass
        for page in live:
            alone[page] += mass
        for pair in combinations(live, 2):
            together[pair] += mass
    found: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for (one, other), mass in together.items():
        share = mass / total
        if mass < min_mass - _EPSILON or share >= 1:
            continue
        npmi = math.log(share * total * total / (alone[one] * alone[other])) / -math.log(share)
        if npmi > npmi_floor:
            found[one].append((other, npmi))
            found[other].append((one, npmi))
    return {
        page: sorted(edges, key=lambda edge: (-round(edge[1], 9), edge[0]))[:max_per_page]
        for page, edges in sorted(found.items())
    }
