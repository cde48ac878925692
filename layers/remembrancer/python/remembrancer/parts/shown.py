"""One result of recall as callers see it."""

from collections.abc import Mapping
from typing import Any

from remembrancer.core.catalogue import PageHead
from remembrancer.core.dates import format_instant
from remembrancer.core.entries import Entry
from remembrancer.core.entry_view import superseded
from remembrancer.core.ranking import Ranked
from remembrancer.core.sessions import section_id
from remembrancer.parts.asking import MAIN


def result(
    ranked: Ranked, what: str, heads: Mapping[str, PageHead], entries: Mapping[str, Entry]
) -> dict[str, Any]:
    """A passage or entry as it is; with `what` sections or pages the section or page that it stands for."""
    hit, unit = ranked.hit, ranked.hit.unit
    cosine = {} if hit.cosine is None else {"cosine": round(hit.cosine, 4)}
    found = {
        "id": unit.parent if unit.type == "entry" else hit.id,
        "type": unit.type,
        "kind": unit.kind or None,
        "text": unit.shown,
        "score": round(ranked.score, 6),
        "lanes": {**{lane: round(hit.scores[lane], 4) for lane in MAIN if lane in hit.scores}, **cosine},
        "fresh_at": format_instant(unit.fresh_ms) if unit.fresh_ms is not None else None,
        "at": format_instant(unit.at_ms) if unit.at_ms is not None else None,
        "source": unit.source or None,
        "entries": [unit.parent] if unit.type == "entry" else list(unit.entries),
    }
    if unit.type == "entry":
        entry = entries.get(unit.parent)
        return found | {"superseded": superseded(entry) if entry is not None else None}
    found |= {"slug": unit.parent, "section": unit.section, "summary": unit.title}
    if what == "sections":
        section = section_id(unit.parent, unit.section)
        return found | {"id": section, "type": "section", "text": unit.whole or unit.shown}
    if what == "pages":
        page = heads[unit.parent]
        summary = page.summary or page.title
        return found | {
            "id": page.slug,
            "type": "page",
            "section": "",
            "text": summary,
            "summary": summary,
            "entries": [],
        }
    return found
