"""Lanes of injection: what they hold, and how they come together."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from remembrancer.core.catalogue import Neighbour
from remembrancer.core.choice import Candidate

ORDER = ("core", "hot", "fresh", "match", "view", "reply", "entity", "edge", "learned")
"""Surfacing order: a unit that several lanes hold belongs to the first."""

EXEMPT = ("entity",)
HALF_LIFE_DAYS = 14.0
LEAN_PAGES = 10


@dataclass(frozen=True, slots=True)
class Caps:
    """How much each lane may bring.

    `view` is for what belongs to the pages in view; `hub` is the in-degree above which a page is not expanded;
    `seeds` are the first matched pages that are.
    """

    hot: int = 40
    fresh: int = 100
    match: int = 100
    view: int = 12
    reply: int = 12
    entity: int = 8
    seeds: int = 18
    hub: int = 30
    edge: int = 45
    edge_a_seed: int = 6
    learned: int = 20
    learned_a_seed: int = 3
    sections_a_page: int = 3


CAPS = Caps()
LEAN = replace(CAPS, hot=8, fresh=8, learned=0)


def caps_for(pages: int) -> Caps:
    """The default caps, or the lean profile for a space of fewer than ten pages."""
    return LEAN if pages < LEAN_PAGES else CAPS


def hot(
    selections: Iterable[tuple[str, float]],
    k: int = CAPS.hot,
    *,
    exclude: Collection[str] = (),
    half_life_days: float = HALF_LIFE_DAYS,
) -> list[tuple[str, float]]:
    """Pages by decayed count of their selections (slug, age in days), highest first, ties by slug.

    A selection of the future counts as one of now. Excluded pages go before the cut.
    """
    scores: dict[str, float] = {}
    for slug, age in selections:
        if slug not in exclude:
            scores[slug] = scores.get(slug, 0.0) + 0.5 ** (max(0.0, age) / half_life_days)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[: max(0, k)]


def fresh(
    pages: Iterable[tuple[str, float | None]], k: int = CAPS.fresh, *, exclude: Collection[str] = ()
) -> list[str]:
    """Slugs by the instant their content is from, newest first, ties by slug; undated ones are left out.

    Excluded pages (those of the core and hot lanes) go before the cut.
    """
    dated = [(-at, slug) for slug, at in pages if at is not None and slug not in exclude]
    return [slug for _, slug in sorted(dated)][: max(0, k)]


def neighbours(
    seeds: Sequence[str],
    edges: Mapping[str, Sequence[Neighbour]],
    in_degree: Mapping[str, int],
    *,
    learned: bool = False,
    caps: Caps = CAPS,
    exclude: Collection[str] = (),
) -> list[tuple[str, float]]:
    """Slugs and weights of the pages next to the seeds, seed by seed, strongest first; authored or learned edges.

    Hubs are not expanded; seeds and excluded pages are not brought again.
    """
    kinds = ("learned",) if learned else ("link", "wikilink", "edge")
    each, most = (caps.learned_a_seed, caps.learned) if learned else (caps.edge_a_seed, caps.edge)
    first = list(dict.fromkeys(seeds))[: caps.seeds]
    seen = {*first, *exclude}
    found: list[tuple[str, float]] = []
    for seed in first:
        if in_degree.get(seed, 0) > caps.hub:
            continue
        near = [edge for edge in edges.get(seed, ()) if edge.kind in kinds and edge.slug not in seen]
        best = {edge.slug: edge.weight for edge in sorted(near, key=lambda edge: (edge.weight, edge.slug))}
        strongest = sorted(best.items(), key=lambda item: (-item[1], item[0]))[:each]
        found += strongest
        seen.update(slug for slug, _ in strongest)
    return found[:most]


def merge(lanes: Mapping[str, Sequence[Candidate]], caps: Caps = CAPS) -> list[Candidate]:
    """All lanes in surfacing order, each unit once, with the best score that a lane gives it.

    From the match lane on a page gives at most three sections; entity hits neither count nor are held to it.
    """
    limits = {
        "hot": caps.hot,
        "fresh": caps.fresh,
        "match": caps.match,
        "view": caps.view,
        "reply": caps.reply,
        "entity": caps.entity,
        "edge": caps.edge,
        "learned": caps.learned,
    }
    merged: dict[tuple[str, str, int], Candidate] = {}
    sections: dict[str, set[str]] = {}
    for lane in ORDER:
        brought = 0
        for candidate in lanes.get(lane, ()):
            if brought == limits.get(lane, brought + 1):
                break
            unit = candidate.unit
            key = unit.type, unit.parent, unit.ordinal
            if held := merged.get(key):
                merged[key] = replace(held, score=max(held.score, candidate.score))
            elif _has_room(candidate, lane, sections, caps.sections_a_page):
                merged[key] = candidate
                brought += 1
    return list(merged.values())


def _has_room(candidate: Candidate, lane: str, sections: dict[str, set[str]], most: int) -> bool:
    unit = candidate.unit
    if unit.type != "passage" or lane in EXEMPT or ORDER.index(lane) < ORDER.index("match"):
        return True
    mine = sections.setdefault(unit.parent, set())
    if unit.section not in mine and len(mine) >= most:
        return False
    mine.add(unit.section)
    return True
