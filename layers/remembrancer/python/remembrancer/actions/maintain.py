"""Sixth task of a run: bring the projections up to date. Every six hours also by itself, with more checks."""

from typing import Any

from remembrancer.core.catalogue import tier
from remembrancer.core.lint import due, lint, summary
from remembrancer.core.schedule import UPKEEP
from remembrancer.errors import Conflict
from remembrancer.parts.digest import load
from remembrancer.parts.drift import drift
from remembrancer.parts.heads import every_page
from remembrancer.parts.run import LEASE_S, held, progress
from remembrancer.parts.stages import contained, graph, identity, neighbours, statistics
from remembrancer.ports import Lease, Ports

PURPOSE = "maintenance"


def maintain(ports: Ports, space: str, run: str, trigger: str = "") -> dict[str, Any]:
    """Counts, and `failed`: the stages that failed, with the kind of error. The others have done their work.

    By itself (`upkeep`) it takes the lease, and does nothing while another holds it.
    """
    if trigger == UPKEEP:
        return _alone(ports, space, run)
    lease = held(ports, space, run)
    stages = [("statistics", statistics), ("identity", identity), ("neighbours", neighbours), ("graph", graph)]
    counts, failed = contained(ports, lease, stages)
    progress(ports, lease, {"phase": "maintain", **({"degraded": failed} if failed else {})})
    return {**counts, "failed": failed}


def _alone(ports: Ports, space: str, run: str) -> dict[str, Any]:
    if tier(ports.spaces.head(space)) in ("off", "v1"):
        return {"skipped": "memory_off"}
    try:
        lease = ports.leases.take(space, run, PURPOSE, seconds=LEASE_S)
    except Conflict:
        return {"skipped": "locked"}
    try:
        stages = [
            ("drift", _compared),
            ("statistics", statistics),
            ("identity", identity),
            ("neighbours", neighbours),
            ("graph", graph),
            ("lint", _linted),
        ]
        counts, failed = contained(ports, lease, stages)
        before = ports.spaces.head(space).upkeep
        found = {name: counts.get(name, before.get(name)) for name in ("drift", "unembedded", "lint")}
        ports.spaces.update(
            space, {"upkeep": {**found, "at_ms": ports.clock.now_ms(), "failed": failed}}, lease=lease
        )
    finally:
        ports.leases.release(lease)
    return {"drift": counts.get("drift", 0), "unembedded": counts.get("unembedded", 0), "failed": failed}


def _compared(ports: Ports, lease: Lease) -> dict[str, Any]:
    return dict(drift(ports, lease.space, every_page(ports, lease.space), lease.owner))


def _linted(ports: Ports, lease: Lease) -> dict[str, Any]:
    """The weekly report, only when nothing is pending."""
    space = lease.space
    now, last = ports.clock.now_ms(), ports.spaces.head(space).upkeep.get("lint") or {}
    if not due(last, len(ports.entries.pending(space, limit=1)), now):
        return {}
    contested = [id for id, row in load(ports, space).rows.items() if row.contested]
    return {"lint": summary(lint(every_page(ports, space), contested, now), now)}
