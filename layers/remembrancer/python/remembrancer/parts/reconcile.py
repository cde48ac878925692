"""One page, whatever happened to it: catalogue and index made to match the bucket."""

from dataclasses import replace

from remembrancer.core.pages import parse
from remembrancer.errors import PreconditionFailed
from remembrancer.parts.heads import recent_head
from remembrancer.parts.indexing import drop_page, index_page
from remembrancer.parts.pagewrite import adopt, page_name
from remembrancer.ports import Ports, Stored


def reconcile(ports: Ports, space: str, slug: str, *, again: bool = False) -> str:
    """Read the object and its head, then do what is missing: `indexed`, `dropped` or `nothing`.

    Only the state counts, not what is thought to have happened. `again` indexes what is marked as indexed.
    """
    for attempt in range(2):
        stored = ports.pages.read(space, page_name(slug))
        try:
            return _drop(ports, space, slug) if stored is None else _index(ports, space, slug, stored, again)
        except PreconditionFailed:
            # somebody wrote between our two reads: look again once, then leave it to the queue
            if attempt:
                raise
    raise AssertionError("unreachable")


def _index(ports: Ports, space: str, slug: str, stored: Stored, again: bool) -> str:
    head = ports.catalogue.head(space, slug)
    if head is not None and head.deleted and 0 < stored.rev <= head.rev:
        return _drop(ports, space, slug)
    before = head.units if head is not None else 0
    if head is None or head.deleted or head.etag != stored.etag:
        if head is not None and 0 < stored.rev < head.rev:
            return "nothing"
        head = adopt(ports, space, slug, stored, head)
    if head.indexed_rev >= head.rev and not again:
        return "nothing"
    names = recent_head(ports, space).ubiquitous
    index_page(ports, space, parse(slug, stored.body), head, before=before, names=names)
    ports.catalogue.mark_indexed(space, slug, head.rev)
    return "indexed"


def _drop(ports: Ports, space: str, slug: str) -> str:
    head = ports.catalogue.head(space, slug)
    if head is None or (head.deleted and head.indexed_rev >= head.rev):
        return "nothing"
    if not head.deleted:
        gone = replace(head, rev=head.rev + 1, deleted=True, etag="", version="", sections=(), links=())
        ports.catalogue.put(space, gone, expected_rev=head.rev)
        head = gone
    drop_page(ports, space, head)
    ports.catalogue.mark_indexed(space, slug, head.rev)
    return "dropped"
