"""One page write: bucket, then catalogue; compare and swap at both. And what puts the two right again."""

import hashlib
from dataclasses import replace

from remembrancer.core.catalogue import PageHead
from remembrancer.core.pages import describe, parse
from remembrancer.errors import PreconditionFailed
from remembrancer.ports import Lease, Ports, Stored


def page_name(slug: str) -> str:
    """The name of a page's object below the space."""
    return f"concepts/{slug}.md"


def reconcile(ports: Ports, space: str, slug: str) -> tuple[PageHead | None, Stored | None]:
    """Head and object of a page, after making them agree; no object when the page does not exist.

    The catalogue takes what the bucket has: a hand edit, or a write that broke off half-way. But an object of an
    older fence that it does not know yet came too late: its holder had lost the lease, and it is put back.
    """
    head = ports.catalogue.head(space, slug)
    stored = ports.pages.read(space, page_name(slug))
    live = head is not None and not head.deleted
    if stored is None:
        if head is not None and live:
            gone = _gone(head)
            ports.catalogue.put(space, gone, over=head)
            return gone, None
        return head, None
    if head is not None and live:
        if head.etag == stored.etag:
            return head, stored
        if _late(ports, space, stored) and (old := _named(ports, space, head)):
            put = ports.pages.write(
                space, page_name(slug), old.body, etag=stored.etag, rev=head.rev, run=head.run, fence=old.fence
            )
            again = replace(head, etag=put.etag, version=put.version)
            ports.catalogue.put(space, again, over=head)
            return again, put
    elif _late(ports, space, stored) or (head is not None and 0 < stored.rev <= head.rev):
        ports.pages.delete(space, page_name(slug), etag=stored.etag)
        return head, None
    return _adopt(ports, space, slug, stored, head), stored


def _late(ports: Ports, space: str, stored: Stored) -> bool:
    return 0 < stored.fence < ports.leases.fence(space)


def _named(ports: Ports, space: str, head: PageHead) -> Stored | None:
    """The object that the catalogue names, whatever lies above it."""
    return ports.pages.read(space, page_name(head.slug), version=head.version)


def _adopt(ports: Ports, space: str, slug: str, stored: Stored, head: PageHead | None) -> PageHead:
    rev = max((head.rev if head else 0) + 1, stored.rev)
    found = describe(parse(slug, stored.body), stored.body, rev=rev, modified_ms=stored.modified_ms, previous=head)
    found = replace(found, etag=stored.etag, version=stored.version, run=stored.run)
    ports.catalogue.put(space, found, over=head)
    return found


def _gone(head: PageHead) -> PageHead:
    return replace(head, rev=head.rev + 1, deleted=True, etag="", version="", sections=(), links=())


def remove_page(ports: Ports, space: str, slug: str, head: PageHead, lease: Lease) -> None:
    """Take a page away under the fence: first from the catalogue, so that no reader meets half of it."""
    ports.catalogue.put(space, _gone(head), over=head, lease=lease)
    ports.pages.delete(space, page_name(slug), etag=head.etag)


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
        ports.catalogue.put(space, new, over=head, lease=lease)
    except PreconditionFailed:
        # the bucket's own event may have been faster than this line; then the catalogue has our object already
        now = ports.catalogue.head(space, slug)
        if now is None or now.etag != stored.etag:
            raise
        return now
    return new
