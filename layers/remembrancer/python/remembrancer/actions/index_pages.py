"""Make catalogue and index match the bucket for one page, whatever happened to it."""

from remembrancer.core.catalogue import PageHead
from remembrancer.core.pages import parse
from remembrancer.errors import PreconditionFailed
from remembrancer.parts.indexing import drop_page, index_page
from remembrancer.parts.pagewrite import reconcile
from remembrancer.ports import Ports, Stored


def index_one(ports: Ports, space: str, slug: str) -> str:
    """Read the object and its head, then do what is missing: `indexed`, `dropped` or `nothing`.

    Only the state counts, not the event: it may come late, twice or out of order.
    """
    for attempt in range(2):
        try:
            before = ports.catalogue.head(space, slug)
            head, stored = reconcile(ports, space, slug)
            if head is None or head.indexed_rev >= head.rev:
                return "nothing"
            if stored is None:
                return _drop(ports, space, head)
            return _index(ports, space, head, stored, before.units if before is not None else 0)
        except PreconditionFailed:
            # somebody wrote between our two reads: look again once, then leave it to the queue
            if attempt:
                raise
    raise AssertionError("unreachable")


def _index(ports: Ports, space: str, head: PageHead, stored: Stored, before: int) -> str:
    index_page(ports, space, parse(head.slug, stored.body), head, before=max(before, head.units))
    ports.catalogue.mark_indexed(space, head.slug, head.rev)
    return "indexed"


def _drop(ports: Ports, space: str, head: PageHead) -> str:
    drop_page(ports, space, head)
    ports.catalogue.mark_indexed(space, head.slug, head.rev)
    return "dropped"
