"""Slugs of pages, and the names of spaces and sessions: literals, matched whole."""

import hashlib
import re
import unicodedata

from remembrancer.errors import Invalid

RESERVED = frozenset({"archive", "views", "skills", "cli-commands"})
MAX_SLUG = 200
MAX_SEGMENT = 80

_SEGMENT = re.compile(r"[a-z0-9][a-z0-9-]*", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)


def is_slug(text: str) -> bool:
    """True for a well-formed slug, reserved ones included."""
    if not text or len(text) > MAX_SLUG:
        return False
    return all(len(part) <= MAX_SEGMENT and _SEGMENT.fullmatch(part) for part in text.split("/"))


def check_slug(slug: str) -> str:
    """The slug itself. Raises `Invalid` (field `slug`)."""
    if not is_slug(slug):
        raise Invalid("a slug is segments of a-z, 0-9 and '-', split by '/'", field="slug")
    return slug


def is_reserved(slug: str) -> bool:
    """True when the first segment is a folder of the service's own."""
    return slug.partition("/")[0] in RESERVED


def slugify(text: str) -> str:
    """A one-segment slug for any text; text without a usable letter gets `page-` and a hash of itself."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) != "Mn")
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:MAX_SEGMENT].strip("-")
    return slug or f"page-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def check_identifier(value: str, field: str) -> str:
    """A space or session name itself. Raises `Invalid`."""
    if not _IDENTIFIER.fullmatch(value):
        raise Invalid("1 to 100 of A-Z, a-z, 0-9, '_' and '-', starting with a letter or digit", field=field)
    return value
