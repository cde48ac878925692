"""Recall of whole pages (tier v2): dense and sparse scores of body and summary, then activation along links."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

DENSE_WEIGHT = 0.85
SPARSE_WEIGHT = 0.15
MIN_SPREAD = 0.2
FULL_SPREAD = 0.5
DECAY = 0.5
HOPS = 2


@dataclass(frozen=True, slots=True)
class Half:
    """Cosine and sparse score of a page's body or summary; None where a lane has not found it."""

    dense: float | None
    sparse: float | None


@dataclass(frozen=True, slots=True)
class Mix:
    """Weights of dense and sparse scores, and the spread of the sparse ones they were made for."""

    dense: float
    sparse: float
    spread: float = 0.0


def weights_valid(dense: float, sparse: float) -> bool:
    """True when the two weights share one whole."""
    return abs(dense + sparse - 1) < 0.001


def adaptive_mix(
    sparse_scores: Sequence[float | None],
    dense_weight: float = DENSE_WEIGHT,
    sparse_weight: float = SPARSE_WEIGHT,
    *,
    min_spread: float = MIN_SPREAD,
    full_spread: float = FULL_SPREAD,
) -> Mix:
    """Hand the sparse weight to dense as far as the sparse scores are flat, for then they say nothing.

    Scores are measured over their maximum; hits without one are left out. No weight moves with fewer than two
    scores, or when `full_spread` is not above `min_spread`.
    """
    known = [score for score in sparse_scores if score is not None]
    top = max(known, default=0.0)
    if len(known) < 2 or not sparse_weight or top <= 0:
        return Mix(dense_weight, sparse_weight)
    spread = 1 - min(known) / top
    if full_spread <= min_spread:
        return Mix(dense_weight, sparse_weight, spread)
    sparse = sparse_weight * _clamp((spread - min_spread) / (full_spread - min_spread))
    return Mix(dense_weight + sparse_weight - sparse, sparse, spread)


def page_scores(bodies: Mapping[str, Half], summaries: Mapping[str, Half], mix: Mix) -> dict[str, float]:
    """The score of every page, 0 to 1: the better of its body and its summary. Sparse scales are kept apart."""
    scores = _half_scores(bodies, mix)
    for slug, score in _half_scores(summaries, mix).items():
        scores[slug] = max(score, scores.get(slug, 0.0))
    return scores


def _half_scores(halves: Mapping[str, Half], mix: Mix) -> dict[str, float]:
    top = max((half.sparse or 0.0 for half in halves.values()), default=0.0)
    found = {}
    for slug, half in halves.items():
        sparse = (half.sparse or 0.0) / top if top > 0 else 0.0
        found[slug] = _clamp(mix.dense * max(0.0, half.dense or 0.0) + mix.sparse * sparse)
    return found


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))


def spread_activation(
    own: Mapping[str, float], edges: Collection[tuple[str, str]], *, decay: float = DECAY, hops: int = HOPS
) -> dict[str, float]:
    """Scores of pages lifted by the pages that link to them, up to `hops` links away.

    A page's own score and, for each distance r with active predecessors, their quadratic mean weighted by decay^r;
    over the sum of the weights. Pages without a score of their own are not active, but links lead through them.
    """
    sources: dict[str, list[str]] = {}
    for source, target in edges:
        sources.setdefault(target, []).append(source)
    return {page: _activation(page, score, own, sources, decay, hops) for page, score in own.items()}


def _activation(
    page: str, score: float, own: Mapping[str, float], sources: Mapping[str, list[str]], decay: float, hops: int
) -> float:
    total, weights = score, 1.0
    seen, frontier = {page}, [page]
    for distance in range(1, hops + 1):
        nearer = (source for target in frontier for source in sources.get(target, ()))
        frontier = [source for source in dict.fromkeys(nearer) if source not in seen]
        seen.update(frontier)
        active = [own[source] for source in frontier if source in own]
        if active:
            weight = decay**distance
            total += weight * (sum(value * value for value in active) / len(active)) ** 0.5
            weights += weight
    return _clamp(total / weights)
