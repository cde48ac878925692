"""The stages of maintenance. Each brings one projection up to date by itself and says what it counted."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from remembrancer.core.catalogue import PageHead
from remembrancer.core.lint import due, lint, summary
from remembrancer.errors import LeaseLost
from remembrancer.parts.digest import load, save
from remembrancer.parts.drift import drift
from remembrancer.parts.graph import lists, rated
from remembrancer.parts.heads import every_page
from remembrancer.parts.neighbours import with_neighbours
from remembrancer.parts.run import get_manifest, held
from remembrancer.ports import Lease, Ports

COUNTED = 1_000

Stage: TypeAlias = Callable[[Ports, Lease], dict[str, Any]]


def contained(
    ports: Ports, lease: Lease, stages: Sequence[tuple[str, Stage]]
) -> tuple[dict[str, Any], dict[str, str]]:
    """What the stages counted, and the kind of error of those that failed; only a lost lease ends them all."""
    counts: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for name, stage in stages:
        lease = held(ports, lease.space, lease.owner)
        try:
            counts |= stage(ports, lease)
        except LeaseLost:
            raise
        except Exception as error:
            failed[name] = type(error).__name__
    return counts, failed


def compared(ports: Ports, lease: Lease) -> dict[str, Any]:
    """Bucket, catalogue and index held against each other, and repaired."""
    return dict(drift(ports, lease.space, every_page(ports, lease.space), lease.owner))


def statistics(ports: Ports, lease: Lease) -> dict[str, Any]:
    """The digest, and the word statistics of the space head."""
    space = lease.space
    digest = load(ports, space)
    digest.changed -= set((get_manifest(ports, space, lease.owner, "plan") or {}).get("compared", ()))
    save(ports, space, digest)
    for entry in ports.entries.pending(space, limit=COUNTED):
        digest.count(entry)
    changes: dict[str, Any] = {
        "ubiquitous": list(digest.tally.ubiquitous()),
        "common": list(digest.tally.common()),
        "years": sorted(+digest.years),
        "units": digest.tally.units,
    }
    ports.spaces.update(space, changes, lease=lease)
    return {"units": digest.tally.units}


def identity(ports: Ports, lease: Lease) -> dict[str, Any]:
    """The identity of the index, in the space head."""
    ports.spaces.update(lease.space, {"index_identity": ports.index.identity}, lease=lease)
    return {}


def neighbours(ports: Ports, lease: Lease) -> dict[str, Any]:
    """Semantic neighbours of the pages that have changed."""
    space = lease.space
    heads = every_page(ports, space)
    return {"neighbours": _rate(ports, space, heads, with_neighbours(ports, space, heads))}


def graph(ports: Ports, lease: Lease) -> dict[str, Any]:
    """Importance, in-degree and learned edges of pages; core, hot and fresh lists of the space."""
    space = lease.space
    heads, used, now = every_page(ports, space), list(ports.selections.recent(space)), ports.clock.now_ms()
    _rate(ports, space, heads, rated(heads, used, now))
    head = ports.spaces.head(space)
    changes = {"lanes": {**head.lanes, **lists(heads, used, now)}, "lanes_version": head.lanes_version + 1}
    ports.spaces.update(space, changes, lease=lease)
    return {}


def linted(ports: Ports, lease: Lease) -> dict[str, Any]:
    """The weekly report, only when nothing is pending."""
    space = lease.space
    now, last = ports.clock.now_ms(), ports.spaces.head(space).upkeep.get("lint") or {}
    if not due(last, len(ports.entries.pending(space, limit=1)), now):
        return {}
    contested = [id for id, row in load(ports, space).rows.items() if row.contested]
    return {"lint": summary(lint(every_page(ports, space), contested, now), now)}


def _rate(ports: Ports, space: str, before: Sequence[PageHead], after: Sequence[PageHead]) -> int:
    changed = [new for old, new in zip(before, after, strict=True) if new != old]
    for head in changed:
        ports.catalogue.rate(space, head)
    return len(changed)
