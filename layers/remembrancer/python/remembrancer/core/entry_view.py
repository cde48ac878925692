"""An entry as callers see it: its text, where it came from, where it went, and why."""

from typing import Any

from remembrancer.core.dates import format_instant
from remembrancer.core.dice import NEAR
from remembrancer.core.entries import NORM_V, Entry
from remembrancer.core.labels import pending_node_id

THRESHOLDS = {"exact": 1.0, "near": NEAR / 100}


def superseded(entry: Entry) -> dict[str, Any] | None:
    """What took an entry's place, by which rule, and which run decided it; None for an active one."""
    if entry.active:
        return None
    return {
        "by": entry.superseded_by,
        "rule": entry.rule,
        "score": entry.score,
        "threshold": THRESHOLDS.get(entry.rule),
        "norm_v": NORM_V,
        "run": entry.stamped_by or entry.filed_by or None,
    }


def item(entry: Entry) -> dict[str, Any]:
    """An entry as callers see it."""
    return {
        "id": entry.id,
        "text": entry.text,
        "kind": entry.kind,
        "status": "superseded" if not entry.active else "pending" if entry.pending else "active",
        "at": format_instant(entry.at_ms),
        "zone": entry.zone,
        "remembered_at": format_instant(entry.remembered_ms),
        "last_confirmed_at": format_instant(entry.last_confirmed_ms),
        "source": entry.source or None,
        "sources": list(entry.sources),
        "session_id": entry.session_id or None,
        "speaker": entry.speaker or None,
        "category": entry.category or None,
        "importance": entry.importance,
        "tags": list(entry.tags),
        "links": list(entry.links),
        "filed_by": entry.filed_by or None,
        "filed_to": list(entry.filed_to),
        "superseded": superseded(entry),
        "pinned": entry.pinned,
        "edited": entry.edited,
        "conflicts": list(entry.conflicts),
        "twins": list(entry.twins),
        "pending_node_id": pending_node_id(entry.text) if entry.pending else None,
    }
