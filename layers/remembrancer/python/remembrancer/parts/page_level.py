"""Recall of whole pages, for spaces of the page tier."""

from remembrancer.core.catalogue import PageHead
from remembrancer.core.choice import Candidate
from remembrancer.core.page_recall import Half, adaptive_mix, page_scores, spread_activation
from remembrancer.core.ranking import Ranked
from remembrancer.core.unit_text import PAGE_ORDINAL
from remembrancer.core.units import Hit, Unit
from remembrancer.parts.retrieve import Retrieved

TYPES = ("passage", "page")
MOST_CARDS = 25


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


def cards(found: Retrieved) -> list[Candidate]:
    """The best pages, each as one card: its summary, and the names of its sections."""
    ranked = page_level(found)[:MOST_CARDS]
    return [Candidate(_card(found.heads[r.hit.unit.parent]), "match", r.score) for r in ranked]


def _card(head: PageHead) -> Unit:
    named = " · ".join(section.key for section in head.sections if section.key)
    shown = "\n".join([head.summary or head.title, *[f"Sections: {named}"] * bool(named)])
    return Unit("page", head.slug, PAGE_ORDINAL, head.rev, shown, "", "", "", fresh_ms=head.fresh_ms)


def _halves(hits: list[Hit]) -> dict[str, Half]:
    """The best cosine and the best words of each page."""
    found: dict[str, Half] = {}
    for hit in hits:
        known = found.get(hit.unit.parent, Half(None, None))
        found[hit.unit.parent] = Half(_best(known.dense, hit.cosine), _best(known.sparse, hit.scores.get("bm25")))
    return found


def _best(one: float | None, other: float | None) -> float | None:
    return max((value for value in (one, other) if value is not None), default=None)
