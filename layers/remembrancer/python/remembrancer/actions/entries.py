"""List entries, and show one with where it came from."""

from typing import Any

from remembrancer.core.dates import format_instant
from remembrancer.core.entries import KINDS, Entry
from remembrancer.core.labels import pending_node_id
from remembrancer.errors import Invalid, NotFound
from remembrancer.ports import Ports

STATUSES = ("active", "pending", "superseded", "all")


def list_entries(
    ports: Ports, space: str, *, status: str = "active", kind: str = "", limit: int = 50, cursor: str = ""
) -> dict[str, Any]:
    """Items newest first, the active counts per kind, and the cursor of the next page."""
    if status not in STATUSES:
        raise Invalid(f"one of {', '.join(STATUSES)}", field="status")
    if kind and kind not in KINDS:
        raise Invalid(f"one of {', '.join(KINDS)}", field="kind")
    found, following = ports.entries.page(space, status=status, kind=kind, limit=limit, cursor=cursor)
    counts = ports.entries.counts(space)
    head = ports.spaces.head(space)
    return {
        "items": [item(entry.seen(head.frame)) for entry in found],
        "cursor": following or None,
        "active": counts["active"],
        "pending": counts["pending"],
        "superseded": counts["superseded"],
        "last_frame": head.last_run.get("frame"),
    }


def get_entry(ports: Ports, space: str, entry_id: str) -> dict[str, Any]:
    """One entry. Raises `NotFound`."""
    entry = ports.entries.get(space, [entry_id]).get(entry_id)
    if entry is None:
        raise NotFound("no such entry")
    return item(entry.seen(ports.spaces.head(space).frame))


def item(entry: Entry) -> dict[str, Any]:
    """An entry as callers see it."""
    superseded = {"by": entry.superseded_by, "rule": entry.rule, "score": entry.score}
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
        "superseded": superseded if not entry.active else None,
        "pinned": entry.pinned,
        "pending_node_id": pending_node_id(entry.text) if entry.pending else None,
    }
