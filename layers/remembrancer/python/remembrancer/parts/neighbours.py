"""Semantic neighbours: which pages are among the nearest of each other."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from remembrancer.core.catalogue import Neighbour, PageHead
from remembrancer.core.graph import MAX_NEAR, mutual
from remembrancer.core.pages import parse
from remembrancer.core.sections import sections
from remembrancer.core.unit_text import page_unit
from remembrancer.errors import Unavailable
from remembrancer.parts.pagewrite import page_name
from remembrancer.ports import Lane, Ports, Search

AT_ONCE = 50
"""Changed pages of one pass; the rest has its turn in the next."""
DIGITS = 4


def with_neighbours(ports: Ports, space: str, heads: Sequence[PageHead]) -> list[PageHead]:
    """The heads, the semantic neighbours of changed pages and of those around them as they are now.

    A page that is on its way into the index is left for later; one that is indexed and not found has none. Raises
    `Unavailable` when search fails.
    """
    known = {head.slug: head for head in heads}
    waiting = sorted((head for head in heads if head.near_rev < head.rev), key=_on_its_way)
    changed = [head.slug for head in waiting][:AT_ONCE]
    before = {
        head.slug: {n.slug: n.weight for n in head.neighbours if n.kind == "semantic" and n.slug in known}
        for head in heads
    }
    near = _nearest(ports, space, known, changed)
    near |= {slug: {} for slug in changed if slug not in near and not _on_its_way(known[slug])}
    changed = list(near)
    around = {other for slug in changed for other in (*near[slug], *before[slug])} - near.keys()
    near |= _nearest(ports, space, known, sorted(around))
    edges = mutual(near, set(changed), before)
    return [_told(head, edges, changed) for head in heads]


def _on_its_way(head: PageHead) -> bool:
    return head.indexed_rev < head.rev


def _told(head: PageHead, edges: dict[str, dict[str, float]], changed: Sequence[str]) -> PageHead:
    if head.slug not in edges:
        return head
    others = tuple(n for n in head.neighbours if n.kind != "semantic")
    now = tuple(Neighbour(slug, "semantic", round(weight, DIGITS)) for slug, weight in edges[head.slug].items())
    return replace(head, neighbours=(*others, *now), near_rev=head.rev if head.slug in changed else head.near_rev)


def _nearest(
    ports: Ports, space: str, known: dict[str, PageHead], slugs: Iterable[str]
) -> dict[str, dict[str, float]]:
    """The pages nearest to each, with their cosine; without those that the index does not hold."""
    texts: dict[str, str] = {}
    for slug in slugs:
        stored = ports.pages.read(space, page_name(slug))
        if stored is not None:
            page = parse(slug, stored.body)
            texts[slug] = page_unit(page, sections(page.body), known[slug]).embed
    found: dict[str, dict[str, float]] = {}
    vectors = ports.embedder.embed(list(texts.values()), "document") if texts else []
    for slug, vector in zip(texts, vectors, strict=True):
        lane = Lane("near", vector=vector, size=MAX_NEAR + 1, types=("page",))
        answer = ports.index.search(Search(space, (lane,), vector, ("page",)))
        if answer.degraded:
            raise Unavailable("the search for neighbours failed")
        near = {hit.unit.parent: hit.cosine for hit in answer.hits if hit.cosine is not None}
        if slug in near:
            ours = {other: cosine for other, cosine in near.items() if other != slug and other in known}
            found[slug] = dict(sorted(ours.items(), key=lambda one: -one[1])[:MAX_NEAR])
    return found
