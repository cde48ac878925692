"""Names of partitions, and cursors. A space is checked here again: no key can reach into another one's items."""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

from remembrancer.errors import Invalid

IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def space_key(space: str, part: str = "") -> str:
    """The partition of a space, or of one of its parts."""
    return f"S#{_checked(space, 'space')}#{part}" if part else f"S#{_checked(space, 'space')}"


def session_key(space: str, session_id: str) -> str:
    """The partition of a session in the expiring table."""
    return f"X#{_checked(space, 'space')}#{_checked(session_id, 'session_id')}"


def selections_key(space: str) -> str:
    """The partition of a space's selection events in the expiring table."""
    return f"Q#{_checked(space, 'space')}"


def _checked(value: str, field: str) -> str:
    if not IDENTIFIER.fullmatch(value):
        raise Invalid("not an identifier", field=field)
    return value


def to_cursor(listing: str, position: str) -> str:
    """An opaque word that resumes `listing` behind `position`."""
    return urlsafe_b64encode(json.dumps([listing, position]).encode()).decode().rstrip("=")


def from_cursor(listing: str, cursor: str) -> str:
    """The position, empty for an empty cursor. Raises `Invalid` when the cursor is of another listing."""
    if not cursor:
        return ""
    try:
        found = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except ValueError:
        found = None
    match found:
        case [str(of), str(position)] if of == listing and position.isprintable() and 0 < len(position) <= 1024:
            return position
    raise Invalid("not a cursor of this listing", field="cursor")
