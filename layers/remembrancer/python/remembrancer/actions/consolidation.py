"""Start a consolidation run by hand, and say how consolidation stands."""

from typing import Any

from remembrancer.core.catalogue import tier
from remembrancer.core.dates import format_instant
from remembrancer.core.schedule import next_due
from remembrancer.errors import Disabled, NotFound
from remembrancer.ports import Lease, Ports

COUNTED = 1_000


def run_now(ports: Ports, space: str) -> dict[str, Any]:
    """Start a run whatever the backoff says. `ran` is false when one goes on already; then `run` is its id."""
    if tier(ports.spaces.head(space)) in ("off", "v1"):
        raise Disabled("Memory is disabled.")
    lease = active_run(ports, space)
    if lease is not None:
        return {"ran": False, "run": lease.owner}
    run = ports.clock.new_id()
    ports.events.start_run(space, run, "manual")
    return {"ran": True, "run": run}


def active_run(ports: Ports, space: str) -> Lease | None:
    """The lease of a consolidation that really goes on; a dead holder does not count."""
    lease = ports.leases.current(space)
    if lease is None or lease.purpose != "consolidation" or not ports.events.running(lease.owner):
        return None
    return lease


def status(ports: Ports, space: str) -> dict[str, Any]:
    """Active run, pending entries, last run, next due time with its reason, backoff."""
    head = ports.spaces.head(space)
    pending = ports.entries.pending(space, limit=COUNTED)
    lease = active_run(ports, space)
    run = ports.runs.get(space, lease.owner) if lease else None
    lines = sum(entry.lines for entry in pending)
    due = next_due(
        head,
        pending=len(pending),
        lines=lines,
        last_write_ms=pending[-1].remembered_ms if pending else 0,
        now_ms=ports.clock.now_ms(),
    )
    return {
        "active": {"run": lease.owner, "phase": (run or {}).get("phase")} if lease else None,
        "pending": {
            "entries": len(pending),
            "lines": lines,
            "oldest_at": format_instant(pending[0].remembered_ms) if pending else None,
        },
        "last_run": head.last_run or None,
        "next_due": {"at": format_instant(due.at_ms) if due.at_ms is not None else None, "reason": due.reason},
        "backoff": head.backoff or None,
    }


def list_runs(ports: Ports, space: str, *, limit: int = 20, cursor: str = "") -> dict[str, Any]:
    """Runs newest first."""
    found, following = ports.runs.page(space, limit=limit, cursor=cursor)
    return {"items": found, "cursor": following or None}


def get_run(ports: Ports, space: str, run: str) -> dict[str, Any]:
    """One run with its outcome. Raises `NotFound`."""
    record = ports.runs.get(space, run)
    if record is None:
        raise NotFound("no such run")
    return {"run": record}
