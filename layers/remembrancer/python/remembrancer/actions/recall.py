"""Look memory up on demand."""

from dataclasses import replace
from typing import Any

from remembrancer.core.catalogue import SpaceHead, tier
from remembrancer.core.ranking import Ranked, rank
from remembrancer.core.results import best_of_each, chosen
from remembrancer.parts.heads import recent_head
from remembrancer.parts.linked import linked_hits
from remembrancer.parts.look import Look, wanted_by
from remembrancer.parts.page_level import TYPES, page_level
from remembrancer.parts.retrieve import Filter, Retrieved, retrieve
from remembrancer.parts.shown import result
from remembrancer.ports import Ports

TIMEOUT_S = 5.0
MOST = 100


def recall(ports: Ports, space: str, look: Look) -> dict[str, Any]:
    """The best units for a query, best first; `degraded` names what had to be done without."""
    wanted = wanted_by(look)
    head = recent_head(ports, space)
    level = tier(head)
    if level == "off" or not (look.query.strip() or look.pages):
        return {"results": [], "degraded": []}
    whole = level == "v2" and look.what in ("", "pages")
    what, wanted = ("pages", replace(wanted, types=TYPES)) if whole else (look.what, wanted)
    found = _find(ports, space, head, look, wanted, what)
    ranked = page_level(found) if whole else list(found.ranked)
    have = {one.hit.id for one in ranked}
    joined = [hit for hit in linked_hits(found, look.pages, wanted) if hit.id not in have]
    if joined and ranked and not whole:
        ranked = rank([*(one.hit for one in ranked), *joined], found.analysis)
    else:
        ranked += [Ranked(hit, 0.0, {}) for hit in joined]
    taken = chosen(
        best_of_each(ranked, what),
        found.heads,
        found.entries,
        strategy=look.strategy,
        limit=look.limit,
        floor=look.floor,
        seed=look.seed,
    )
    return {
        "results": [result(one, what, found.heads, found.entries) for one in taken],
        "degraded": list(found.degraded),
    }


def _find(ports: Ports, space: str, head: SpaceHead, look: Look, wanted: Filter, what: str) -> Retrieved:
    """As many units as are shown, or more where several become one or compete."""
    plain = look.strategy == "ranked" and what not in ("sections", "pages")
    return retrieve(
        ports,
        space,
        head,
        look.query.strip(),
        now_ms=ports.clock.now_ms(),
        zone=look.zone or head.zone,
        wanted=wanted,
        purpose="recall",
        timeout_s=TIMEOUT_S,
        most=look.limit if plain else MOST,
        linked=look.pages,
    )
