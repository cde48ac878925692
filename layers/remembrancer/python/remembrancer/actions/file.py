"""Third task of a run: file one batch into its pages."""

from typing import Any

from remembrancer.core.entries import Entry
from remembrancer.core.filing import file_into, unfile
from remembrancer.core.pages import parse, render
from remembrancer.core.place import Target
from remembrancer.errors import LeaseLost
from remembrancer.parts.indexing import index_now
from remembrancer.parts.pagewrite import page_name, write_page
from remembrancer.parts.run import get_manifest, held, put_manifest
from remembrancer.ports import Lease, Ports


def file_batch(ports: Ports, space: str, run: str, batch: int) -> dict[str, Any]:
    """Write the batch's pages; evidence goes to `filed-<batch>.json`: which entry stands on which page."""
    lease = held(ports, space, run)
    plan = get_manifest(ports, space, run, "plan")
    if plan is None:
        raise LeaseLost("the run has no plan")
    work = plan["batches"][batch]
    ids = [entry_id for page in work for entry_id in page["entries"]]
    entries = ports.entries.get(space, ids)
    evidence: dict[str, list[str]] = {}
    written = 0
    for page in work:
        coming = [entries[i] for i in page["entries"] if i in entries]
        wrote = _file_page(ports, space, run, lease, page["slug"], coming, page["leaving"], plan["targets"])
        written += wrote
        for entry in coming:
            evidence.setdefault(entry.id, []).append(page["slug"])
    put_manifest(ports, space, run, f"filed-{batch}", evidence)
    return {"batch": batch, "filed": len(evidence), "pages": written}


def _file_page(
    ports: Ports,
    space: str,
    run: str,
    lease: Lease,
    slug: str,
    coming: list[Entry],
    leaving: list[str],
    targets: dict[str, Any],
) -> int:
    """Read, change and write one page under the fence; 1 when its bytes changed."""
    head = ports.catalogue.head(space, slug)
    stored = ports.pages.read(space, page_name(slug)) if head is not None and not head.deleted else None
    page = parse(slug, stored.body) if stored is not None else None
    if page is not None and leaving:
        page = unfile(page, leaving)
    for target in dict.fromkeys(Target(**targets[entry.id]) for entry in coming):
        page = file_into(page, target, [entry for entry in coming if Target(**targets[entry.id]) == target])
    if page is None:
        return 0
    before = head.units if head is not None else 0
    new = write_page(ports, space, slug, render(page).encode(), head=head, run=run, lease=lease)
    changed = head is None or new.rev != head.rev
    if changed:
        index_now(ports, space, page, new, before=before)
    return int(changed)
