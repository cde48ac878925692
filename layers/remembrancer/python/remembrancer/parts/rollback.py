"""What a batch is about to write, noted before its first write, so that a batch that broke off can be undone.

A note holds hashes and versions, no text: the old text is a version of the object.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from remembrancer.core.catalogue import PageHead
from remembrancer.parts.pagewrite import page_name, reconcile, remove_page, write_page
from remembrancer.parts.run import get_manifest, put_manifest
from remembrancer.ports import Lease, Ports

Change = tuple[PageHead | None, bytes]
"""The head of a page before, and its bytes to be."""


def note(ports: Ports, space: str, run: str, batch: int, changes: Mapping[str, Change], removed: int) -> None:
    """Write down what each page was and will be, and how many passages the batch takes away."""
    pages = {
        slug: {
            "version": head.version if head is not None and not head.deleted else "",
            "sha256": hashlib.sha256(raw).hexdigest(),
        }
        for slug, (head, raw) in changes.items()
    }
    put_manifest(ports, space, run, f"writing-{batch}", {"pages": pages, "removed": removed})


def removed(ports: Ports, space: str, run: str, batches: int) -> int:
    """How many passages the batches of a run take away that have been noted so far."""
    notes = (get_manifest(ports, space, run, f"writing-{batch}") or {} for batch in range(batches))
    return sum(int(found.get("removed", 0)) for found in notes)


def roll_back(ports: Ports, space: str, run: str, batch: int, lease: Lease) -> int:
    """Put back every page that still is what this batch of the run made of it; how many."""
    found: dict[str, Any] = get_manifest(ports, space, run, f"writing-{batch}") or {}
    done = 0
    for slug, change in found.get("pages", {}).items():
        head, stored = reconcile(ports, space, slug)
        if head is None or stored is None or (head.run, head.sha256) != (run, change["sha256"]):
            continue
        old = ports.pages.read(space, page_name(slug), version=change["version"]) if change["version"] else None
        if old is None:
            remove_page(ports, space, slug, head, lease)
        else:
            write_page(ports, space, slug, old.body, head=head, run=lease.owner, lease=lease)
        done += 1
    return done
