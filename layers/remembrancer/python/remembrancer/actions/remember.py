"""Take in facts: checked, cleaned, stored once, visible at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from remembrancer.core.catalogue import tier
from remembrancer.core.dates import parse_instant
from remembrancer.core.entries import KINDS, MAX_ITEMS, Entry, clean_text
from remembrancer.core.labels import pending_node_id
from remembrancer.core.links import wikilinks
from remembrancer.core.slugs import check_identifier
from remembrancer.core.zones import parse_zone
from remembrancer.errors import Invalid
from remembrancer.parts.heads import recent_head
from remembrancer.parts.nudge import PERSON, nudge
from remembrancer.ports import Ports


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What all facts of one call share. `at` is ISO 8601 or empty for now, `zone` IANA, offset or empty."""

    kind: str = "semantic"
    source: str = ""
    session_id: str = ""
    at: str = ""
    zone: str = ""
    tags: tuple[str, ...] = ()
    category: str = ""
    importance: float | None = None
    speaker: str = ""


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
    new = [
        Entry(
            id=ports.clock.new_id(),
            text=text,
            kind=about.kind,
            at_ms=at_ms,
            zone=zone,
            remembered_ms=now,
            last_confirmed_ms=now,
            source=about.source,
            sources=(about.source,) if about.source else (),
            session_id=about.session_id,
            speaker=about.speaker,
            category=about.category,
            importance=about.importance,
            tags=about.tags,
            links=tuple(wikilinks(text)),
        )
        for text in texts
    ]
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
