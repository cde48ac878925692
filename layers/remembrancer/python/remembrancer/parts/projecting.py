"""One page, whatever happened to it: catalogue and index made to match the bucket."""

from remembrancer.core.catalogue import PageHead
from remembrancer.core.pages import parse
from remembrancer.errors import PreconditionFailed
from remembrancer.parts.indexing import drop_page, forgotten_in, in_index, index_page
from remembrancer.parts.pagewrite import reconcile
from remembrancer.ports import Ports


def project(ports: Ports, space: str, slug: str, *, again: bool = False) -> str:
    """Read the object and its head, then do what is missing: `indexed`, `dropped` or `nothing`.

    Only the state counts, not what is thought to have happened: what the writer has indexed is only marked.
    `again` indexes in any case.
    """
    for attempt in range(2):
        try:
            before = ports.catalogue.head(space, slug)
            head, stored = reconcile(ports, space, slug)
            if head is None or (head.indexed_rev >= head.rev and not again):
                return "nothing"
            if stored is None:
                return _drop(ports, space, head)
            page = parse(slug, stored.body)
            if again or not in_index(ports, space, page, head):
                forgotten = forgotten_in(ports, space, [page])
                held = max(before.units if before is not None else 0, head.units)
                index_page(ports, space, page, head, before=held, forgotten=forgotten)
            ports.catalogue.mark_indexed(space, slug, head.rev)
            return "indexed"
        except PreconditionFailed:
            # somebody wrote between our two reads: look again once, then leave it to the queue
            if attempt:
                raise
    raise AssertionError("unreachable")


def _drop(ports: Ports, space: str, head: PageHead) -> str:
    drop_page(ports, space, head)
    ports.catalogue.mark_indexed(space, head.slug, head.rev)
    return "dropped"
