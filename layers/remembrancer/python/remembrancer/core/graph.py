"""Importance of pages from the links between them."""

import math
from collections.abc import Collection, Iterable, Mapping

DAMPING = 0.85
ITERATIONS = 100
TOLERANCE = 1e-6
NEUTRAL = 0.5
LINK_COSINE = 0.5
MAX_NEAR = 8


def pagerank(
    edges: Iterable[tuple[str, str, float]],
    nodes: Collection[str] | None = None,
    *,
    damping: float = DAMPING,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
) -> dict[str, float]:
    """Weighted PageRank; the values sum to 1, the mass of nodes without a way out is spread evenly.

    The last weight of an edge counts. Edges without a positive finite weight, or to a node outside `nodes`, are
    dropped.
    """
    weights = {(source, target): float(weight) for source, target, weight in edges}
    known = dict.fromkeys(nodes) if nodes is not None else dict.fromkeys(n for edge in weights for n in edge)
    live = {e: w for e, w in weights.items() if 0 < w < math.inf and e[0] in known and e[1] in known}
    if not known:
        return {}
    shares = _shares(live)
    out = {source for source, _ in shares}
    size = len(known)
    rank = dict.fromkeys(known, 1 / size)
    for _ in range(iterations):
        dangling = sum(value for node, value in rank.items() if node not in out)
        base = (1 - damping + damping * dangling) / size
        following = dict.fromkeys(known, base)
        for (source, target), share in shares.items():
            following[target] += damping * rank[source] * share
        change = sum(abs(following[node] - rank[node]) for node in known)
        rank = following
        if change < tolerance:
            break
    return rank


def _shares(weights: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """What part of its source's weight an edge has; by the largest first, so that no sum overflows or vanishes."""
    largest: dict[str, float] = {}
    for (source, _), weight in weights.items():
        largest[source] = max(weight, largest.get(source, 0.0))
    total: dict[str, float] = {}
    for (source, _), weight in weights.items():
        total[source] = total.get(source, 0.0) + weight / largest[source]
    return {edge: weight / largest[edge[0]] / total[edge[0]] for edge, weight in weights.items()}


def importance(ranks: Mapping[str, float], linked: Collection[str]) -> dict[str, float]:
    """Ranks on one scale 0..1 that does not move with the size of the graph: x/(1 + x) of N·rank.

    An average page, and one without any link, has the neutral 0.5.
    """
    size = len(ranks)
    return {node: size * rank / (1 + size * rank) if node in linked else NEUTRAL for node, rank in ranks.items()}


def semantic_weight(similarity: float, gate: float) -> float:
    """Weight 0..10 of a semantic edge: it grows exponentially from the gate to 1; 0 means no edge."""
    low = math.exp(gate)
    return 10 * (math.exp(max(similarity, gate)) - low) / (math.e - low)


def mutual(
    near: Mapping[str, Mapping[str, float]],
    changed: Collection[str],
    before: Mapping[str, Mapping[str, float]],
    *,
    gate: float = LINK_COSINE,
    most: int = MAX_NEAR,
) -> dict[str, dict[str, float]]:
    """The semantic edges of the pages in `near`, which gives the pages nearest to each with their cosine.

    An edge needs that both are among the nearest of each other. One between two pages that have not changed stays
    while they are near. `before` has the edges so far; one of weight 0 is a veto and stays.
    """
    found: dict[str, dict[str, float]] = {}
    for page, others in near.items():
        known = before.get(page, {})
        edges: dict[str, float] = {}
        for other, cosine in others.items():
            touched = page in changed or other in changed
            both = page in near.get(other, {}) if touched else other in known
            # an index of rounded vectors gives the two directions slightly different cosines
            same = max(cosine, near.get(other, {}).get(page, cosine))
            if both and (weight := semantic_weight(same, gate)) > 0:
                edges[other] = weight
        vetoed = {other for other, weight in known.items() if weight <= 0}
        vetoed |= {other for other in edges if before.get(other, {}).get(page, 1.0) <= 0}
        best = sorted((-weight, other) for other, weight in edges.items() if other not in vetoed)[:most]
        kept = {other: 0.0 for other, weight in known.items() if weight <= 0}
        found[page] = kept | {other: -weight for weight, other in best}
    return found
