"""What links and use say about the pages of a space: importance, in-degree, learned edges, the hot list."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from remembrancer.core.catalogue import Neighbour, PageHead
from remembrancer.core.graph import importance, pagerank
from remembrancer.core.lanes import CAPS, fresh, hot
from remembrancer.core.learned import learned_edges
from remembrancer.core.sessions import Selection

AUTHORED_WEIGHT = 10.0
DAY_MS = 86_400_000
CORE_PAGES = "core-pages"
DIGITS = 4


def rated(heads: Sequence[PageHead], selections: Iterable[Selection], now_ms: int) -> list[PageHead]:
    """The heads with importance, in-degree and learned neighbours as they are now."""
    known = {head.slug for head in heads}
    calls = [
        (tuple({pick.slug for pick in one.picks if pick.slug}), (now_ms - one.at_ms) / DAY_MS)
        for one in selections
    ]
    learned = learned_edges(calls, known=known)
    edges = [(head.slug, to, AUTHORED_WEIGHT) for head in heads for to in head.links if to in known]
    edges += [(head.slug, n.slug, n.weight) for head in heads for n in head.neighbours if n.kind == "semantic"]
    linked = {slug for source, target, _ in edges for slug in (source, target)}
    ranks = importance(pagerank(edges, sorted(known)), linked)
    degrees: dict[str, int] = dict.fromkeys(known, 0)
    for head in heads:
        for to in set(head.links) & known:
            degrees[to] += 1
    return [
        replace(
            head,
            importance=round(ranks[head.slug], DIGITS),
            in_degree=degrees[head.slug],
            neighbours=(
                *(n for n in head.neighbours if n.kind != "learned"),
                *(Neighbour(slug, "learned", round(w, DIGITS)) for slug, w in learned.get(head.slug, ())),
            ),
        )
        for head in heads
    ]


def lists(heads: Sequence[PageHead], selections: Iterable[Selection], now_ms: int) -> dict[str, list[str]]:
    """The core, hot and fresh lists; a page is in the first that it belongs to."""
    known = {head.slug: head for head in heads}
    core = [slug for slug in (known[CORE_PAGES].links if CORE_PAGES in known else ()) if slug in known]
    used = [
        (pick.slug, (now_ms - one.at_ms) / DAY_MS)
        for one in selections
        for pick in one.picks
        if pick.slug in known
    ]
    warm = [slug for slug, _ in hot(used, CAPS.hot, exclude=core)]
    dated = [(head.slug, float(head.fresh_ms)) for head in heads if head.slug != CORE_PAGES]
    return {"core": core, "hot": warm, "fresh": fresh(dated, CAPS.fresh, exclude={*core, *warm})}
