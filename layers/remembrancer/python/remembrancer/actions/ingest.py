"""Take in finished pages, each judged on its own, under one lease."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from remembrancer.core.catalogue import PageHead, tier
from remembrancer.core.ingest import Draft, examine
from remembrancer.errors import Disabled, PreconditionFailed, RemembrancerError
from remembrancer.parts.heads import recent_head
from remembrancer.parts.pagewrite import write_page
from remembrancer.ports import Lease, Ports

LEASE_S = 60  # longer than API Gateway waits for an answer
WRITERS = 8


def ingest(
    ports: Ports, space: str, given: Sequence[tuple[str, str]], *, dry_run: bool, overwrite: bool
) -> dict[str, Any]:
    """Results in request order. The bucket's event indexes. Raises `Conflict` while the lease is held."""
    if tier(recent_head(ports, space)) in ("off", "v1"):
        raise Disabled("Memory is disabled.")
    drafts = examine(given)
    forgotten = ports.entries.forgotten(space, {h for draft in drafts for h in draft.hashes})
    for draft in drafts:
        draft.refuse_forgotten(forgotten)
    lease = None if dry_run else ports.leases.take(space, ports.clock.new_id(), "ingest", seconds=LEASE_S)
    try:
        _take(ports, space, [draft for draft in drafts if not draft.error], overwrite, lease)
    finally:
        if lease is not None:
            ports.leases.release(lease)
    results = [draft.result() for draft in drafts]
    counts = {name: sum(r["action"] == name for r in results) for name in ("written", "skipped_exists", "invalid")}
    return {
        "results": results,
        "written": counts["written"],
        "skipped": counts["skipped_exists"],
        "invalid": counts["invalid"],
        "dry_run": dry_run,
    }


def _take(ports: Ports, space: str, drafts: Sequence[Draft], overwrite: bool, lease: Lease | None) -> None:
    """Decide about the pages that read well, and write them unless this is a dry run (no lease)."""
    coming = {draft.slug for draft in drafts}
    heads = ports.catalogue.heads(space, sorted(coming.union(*(draft.links for draft in drafts))))
    live = {slug for slug, head in heads.items() if not head.deleted}
    writing = []
    for draft in drafts:
        draft.warn_dangling(live | coming)
        if draft.slug in live and not overwrite:
            draft.action = "skipped_exists"
            continue
        draft.refuse_emptying(heads[draft.slug] if draft.slug in live else None)
        if not draft.error:
            writing.append(draft)
    if lease is not None:
        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(lambda draft: _store(ports, space, draft, heads.get(draft.slug), lease), writing))


def _store(ports: Ports, space: str, draft: Draft, head: PageHead | None, lease: Lease) -> None:
    """Write one page; what goes wrong with it stays with it."""
    try:
        write_page(ports, space, draft.slug, draft.raw, head=head, lease=lease)
    except PreconditionFailed:
        draft.fail("somebody else wrote this page at the same time; send it again")
    except RemembrancerError as error:
        draft.fail(f"not stored: {error.code}")
