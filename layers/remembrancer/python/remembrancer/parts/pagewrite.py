"""One page write: bucket, then catalogue; compare and swap at both."""

import hashlib
from dataclasses import replace

from remembrancer.core.catalogue import PageHead
from remembrancer.core.pages import describe, parse
from remembrancer.errors import PreconditionFailed
from remembrancer.ports import Lease, Ports, Stored


def page_name(slug: str) -> str:
    """The name of a page's object below the space."""
    return f"concepts/{slug}.md"


def adopt(ports: Ports, space: str, slug: str, stored: Stored, head: PageHead | None) -> PageHead:
    """Make the catalogue say what the bucket holds: after a hand edit, or a write that broke off half-way."""
    rev = max((head.rev if head else 0) + 1, stored.rev)
    found = describe(parse(slug, stored.body), stored.body, rev=rev, modified_ms=stored.modified_ms, previous=head)
    found = replace(found, etag=stored.etag, version=stored.version, run=stored.run)
    ports.catalogue.put(space, found, expected_rev=head.rev if head else 0)
    return found


def write_page(
    ports: Ports,
    space: str,
    slug: str,
    raw: bytes,
    *,
    head: PageHead | None,
    run: str = "",
    lease: Lease | None = None,
) -> PageHead:
    """Replace the page that `head` describes (None: there is none) by `raw`; the new head, not yet indexed.

    Equal bytes change nothing. Raises `PreconditionFailed` when somebody else wrote in between, `LeaseLost`.
    """
    live = head is not None and not head.deleted
    if head is not None and live and head.sha256 == hashlib.sha256(raw).hexdigest():
        return head
    rev = (head.rev if head else 0) + 1
    stored = ports.pages.write(
        space,
        page_name(slug),
        raw,
        etag=head.etag if head is not None and live else None,
        rev=rev,
        run=run,
        fence=lease.fence if lease else 0,
    )
    new = describe(parse(slug, raw), raw, rev=rev, modified_ms=ports.clock.now_ms(), previous=head)
    new = replace(new, etag=stored.etag, version=stored.version, run=run, deleted=False)
    try:
        ports.catalogue.put(space, new, expected_rev=head.rev if head else 0, lease=lease)
    except PreconditionFailed:
        # the bucket's own event may have been faster than this line; then the catalogue has our object already
        now = ports.catalogue.head(space, slug)
        if now is None or now.etag != stored.etag:
            raise
        return now
    return new
