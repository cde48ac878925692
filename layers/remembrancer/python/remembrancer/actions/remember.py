"""Take in facts: checked, cleaned, stored once, visible at once."""

from collections.abc import Sequence
from typing import Any

from remembrancer.core.catalogue import tier
from remembrancer.core.dates import parse_instant
from remembrancer.core.entries import KINDS, MAX_ITEMS, clean_text
from remembrancer.core.labels import pending_node_id
from remembrancer.core.slugs import check_identifier
from remembrancer.core.told import Circumstances
from remembrancer.core.zones import parse_zone
from remembrancer.errors import Invalid
from remembrancer.parts.heads import recent_head
from remembrancer.parts.nudge import PERSON, nudge
from remembrancer.ports import Ports


def remember(ports: Ports, space: str, contents: Sequence[str], about: Circumstances) -> dict[str, Any]:
    """Store each non-blank fact; the reply says what became of each. Nothing is stored when one of them is bad."""
    if len(contents) > MAX_ITEMS:
        raise Invalid(f"at most {MAX_ITEMS} facts in one call", field="content")
    texts = [text for text in map(clean_text, contents) if text]
    if not texts:
        raise Invalid("content is required", field="content")
    if about.kind not in KINDS:
        raise Invalid(f"one of {', '.join(KINDS)}", field="kind")
    if about.session_id:
        check_identifier(about.session_id, "session_id")
    now = ports.clock.now_ms()
    at_ms = parse_instant(about.at, "at") if about.at else now
    head = recent_head(ports, space)
    zone = about.zone or head.zone
    parse_zone(zone)
    if tier(head) == "off":
        return {"message": "Memory is disabled.", "success": False, "entries": []}
    new = [about.entry(text, id=ports.clock.new_id(), at_ms=at_ms, zone=zone, now_ms=now) for text in texts]
    added = ports.entries.add(space, new)
    stored = sum(a.status == "stored" for a in added)
    if stored and about.source == PERSON:
        nudge(ports, space, head)
    return {
        "message": f"Stored {stored} of {len(new)}." if stored < len(new) else f"Stored {stored}.",
        "success": True,
        "entries": [
            {
                "id": a.id if a.status != "suppressed" else None,
                "status": a.status,
                "duplicate_of": a.id if a.status == "duplicate" else None,
                "links": list(entry.links),
                "pending_node_id": pending_node_id(entry.text) if a.status == "stored" else None,
            }
            for entry, a in zip(new, added, strict=True)
        ],
    }
