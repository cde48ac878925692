"""A page as callers see it, without its text."""

from typing import Any

from remembrancer.core.catalogue import PageHead
from remembrancer.core.dates import format_instant


def line(head: PageHead) -> dict[str, Any]:
    """A page as a list shows it."""
    return {
        "slug": head.slug,
        "title": head.title,
        "summary": head.summary,
        "kind": head.kind or None,
        "source": head.source or None,
        "tags": list(head.tags),
        "links": list(head.links),
        "rev": head.rev,
        "etag": head.etag,
        "sha256": head.sha256,
        "chars": head.chars,
        "modified_at": format_instant(head.modified_ms),
        "fresh_at": format_instant(head.fresh_ms),
        "indexed": head.indexed_rev >= head.rev,
        "parse_error": head.parse_error or None,
    }
