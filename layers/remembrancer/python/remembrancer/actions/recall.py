"""Look memory up on demand."""

from typing import Any

from remembrancer.core.catalogue import tier
from remembrancer.core.dates import format_instant, parse_instant
from remembrancer.core.entries import KINDS
from remembrancer.core.ranking import Ranked
from remembrancer.errors import Invalid
from remembrancer.parts.heads import recent_head
from remembrancer.parts.retrieve import Filter, retrieve
from remembrancer.ports import Ports

TIMEOUT_S = 5.0


def recall(
    ports: Ports,
    space: str,
    query: str,
    *,
    limit: int = 8,
    kinds: tuple[str, ...] = (),
    pages: tuple[str, ...] = (),
    after: str = "",
    before: str = "",
    include_superseded: bool = False,
    what: str = "",
    zone: str = "",
) -> dict[str, Any]:
    """The best units for a query, best first; `degraded` names what had to be done without."""
    if any(kind not in KINDS for kind in kinds):
        raise Invalid(f"each one of {', '.join(KINDS)}", field="kinds")
    types = {"passages": ("passage",), "entries": ("entry",), "": ("passage", "entry")}.get(what, ())
    head = recent_head(ports, space)
    if tier(head) == "off" or not query.strip():
        return {"results": [], "degraded": []}
    wanted = Filter(
        types=types,
        kinds=kinds,
        parents=pages,
        after_ms=parse_instant(after, "after") if after else None,
        before_ms=parse_instant(before, "before") if before else None,
        superseded=include_superseded,
    )
    found = retrieve(
        ports,
        space,
        head,
        query,
        now_ms=ports.clock.now_ms(),
        zone=zone or head.zone,
        wanted=wanted,
        purpose="recall",
        timeout_s=TIMEOUT_S,
    )
    return {"results": [_result(r) for r in found.ranked[:limit]], "degraded": list(found.degraded)}


def _result(ranked: Ranked) -> dict[str, Any]:
    unit = ranked.hit.unit
    page = {"slug": unit.parent, "section": unit.section, "summary": unit.title} if unit.type != "entry" else {}
    cosine = {} if ranked.hit.cosine is None else {"cosine": round(ranked.hit.cosine, 4)}
    return {
        "id": unit.parent if unit.type == "entry" else ranked.hit.id,
        "type": unit.type,
        **page,
        "kind": unit.kind or None,
        "text": unit.shown,
        "score": round(ranked.score, 6),
        "lanes": {**{lane: round(score, 4) for lane, score in ranked.hit.scores.items()}, **cosine},
        "fresh_at": format_instant(unit.fresh_ms) if unit.fresh_ms is not None else None,
        "at": format_instant(unit.at_ms) if unit.at_ms is not None else None,
        "source": unit.source or None,
        "entries": [unit.parent] if unit.type == "entry" else list(unit.entries),
    }
