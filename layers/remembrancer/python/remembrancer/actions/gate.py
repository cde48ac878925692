"""First task of a run: may it start, and if so with which fence?"""

from typing import Any

from remembrancer.core.catalogue import SpaceHead, tier
from remembrancer.core.schedule import decide
from remembrancer.errors import Conflict
from remembrancer.parts.run import LEASE_S, PURPOSE
from remembrancer.ports import Lease, Ports

COUNTED = 1_000


def gate(ports: Ports, space: str, run: str, trigger: str) -> dict[str, Any]:
    """`{decision, fence}`; decision is run, empty, skipped or locked. Takes the lease only for `run`."""
    head = ports.spaces.head(space)
    if tier(head) in ("off", "v1"):
        return {"decision": "skipped", "reason": "memory_off"}
    pending = ports.entries.pending(space, limit=COUNTED)
    left = unfinished(head, run)
    if not pending and not left:
        return {"decision": "empty"}
    decision = decide(
        trigger,
        head=head,
        pending=len(pending) or len(left),
        lines=sum(entry.lines for entry in pending),
        oldest_ms=pending[0].remembered_ms if pending else 0,
        last_write_ms=pending[-1].remembered_ms if pending else 0,
        now_ms=ports.clock.now_ms(),
    )
    if not decision.run:
        return {"decision": "skipped", "reason": decision.reason}
    try:
        lease = _take(ports, space, run)
    except Conflict:
        return {"decision": "locked"}
    # read again under the lease: another run may have come and gone since
    _open(ports, lease, trigger, ports.spaces.head(space), len(pending))
    return {"decision": "run", "fence": lease.fence}


def _take(ports: Ports, space: str, run: str) -> Lease:
    """Take the lease, also from a run whose execution has ended without giving it back."""
    holder = ports.leases.current(space)
    dead = holder is not None and holder.purpose == PURPOSE and not ports.events.running(holder.owner)
    over = holder.owner if holder is not None and dead else ""
    return ports.leases.take(space, run, PURPOSE, seconds=LEASE_S, over=over)


def unfinished(head: SpaceHead, run: str) -> list[str]:
    """The runs before this one that never came to an end."""
    last = head.last_run
    left = [*last.get("unfinished", []), *([last["id"]] if last.get("status") == "running" else [])]
    return [other for other in dict.fromkeys(left) if other != run]


def _open(ports: Ports, lease: Lease, trigger: str, head: SpaceHead, pending: int) -> None:
    """Write the run's record; it names the runs that never ended, so that this one finishes their work."""
    now, run = ports.clock.now_ms(), lease.owner
    left = unfinished(head, run)
    record = {"run": run, "trigger": trigger, "status": "running", "phase": "gate", "started_ms": now}
    ports.runs.put(lease.space, run, {**record, "pending": pending, "unfinished": left}, lease=lease)
    kept = {name: head.last_run.get(name) for name in ("productive_ms", "frame")}
    last = {**kept, "id": run, "status": "running", "at_ms": now, "unfinished": left}
    ports.spaces.update(lease.space, {"last_run": last}, lease=lease)
