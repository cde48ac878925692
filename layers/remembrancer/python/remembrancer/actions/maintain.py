"""Sixth task of a run: bring the projections up to date. Every six hours also by itself, with more checks."""

from typing import Any

from remembrancer.core.catalogue import tier
from remembrancer.core.schedule import UPKEEP
from remembrancer.errors import Conflict
from remembrancer.parts.run import LEASE_S, held, progress
from remembrancer.parts.stages import compared, contained, graph, identity, linted, neighbours, statistics
from remembrancer.ports import Ports

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
            ("drift", compared),
            ("statistics", statistics),
            ("identity", identity),
            ("neighbours", neighbours),
            ("graph", graph),
            ("lint", linted),
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
