"""Recall of whole pages, for spaces of the page tier."""

from remembrancer.core.page_recall import Half, adaptive_mix, page_scores, spread_activation
from remembrancer.core.ranking import Ranked
from remembrancer.core.units import Hit
from remembrancer.parts.retrieve import Retrieved

TYPES = ("passage", "page")


def page_level(found: Retrieved) -> list[Ranked]:
    """The best unit of every page, by activation: body or summary, lifted by the pages that link to it."""
    hits = [ranked.hit for ranked in found.ranked]
    mix = adaptive_mix([hit.scores.get("bm25") for hit in hits])
    bodies = _halves([hit for hit in hits if hit.unit.type == "passage"])
    summaries = _halves([hit for hit in hits if hit.unit.type == "page"])
    own = page_scores(bodies, summaries, mix)
    heads = found.heads
    edges = {(slug, to) for slug in own for to in heads[slug].links}
    edges |= {(slug, near.slug) for slug in own for near in heads[slug].neighbours}
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(hit.unit.parent, hit)
    ordered = sorted(spread_activation(own, edges).items(), key=lambda item: (-item[1], item[0]))
    return [Ranked(first[slug], score, {}) for slug, score in ordered]


def _halves(hits: list[Hit]) -> dict[str, Half]:
    """The best cosine and the best words of each page."""
    found: dict[str, Half] = {}
    for hit in hits:
        known = found.get(hit.unit.parent, Half(None, None))
        found[hit.unit.parent] = Half(_best(known.dense, hit.cosine), _best(known.sparse, hit.scores.get("bm25")))
    return found


def _best(one: float | None, other: float | None) -> float | None:
    return max((value for value in (one, other) if value is not None), default=None)
