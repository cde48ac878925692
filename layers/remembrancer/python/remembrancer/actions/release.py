"""Last task of a run: record what really happened and give the lease back. Runs whatever went before."""

from typing import Any

from remembrancer.core.schedule import Gate, backoff_state, kind_of_error
from remembrancer.errors import LeaseLost
from remembrancer.parts.settling import take_over
from remembrancer.ports import Lease, Ports


def release(ports: Ports, space: str, run: str, error: str = "") -> dict[str, Any]:
    """`{status, error}`: progress, no_progress or failed. A run that has lost its lease changes nothing.

    A run over its deletion budget first puts back the pages that it had replaced.
    """
    lease = ports.leases.current(space)
    if lease is None or lease.owner != run:
        return {"status": "lost", "error": None}
    kind = kind_of_error(error) if error else None
    try:
        if kind == "deletion_budget":
            take_over(ports, space, run, lease)
        status = _record(ports, lease, error, kind)
    except LeaseLost:
        return {"status": "lost", "error": None}
    ports.leases.release(lease)
    return {"status": status, "error": kind}


def _record(ports: Ports, lease: Lease, error: str, kind: str | None) -> str:
    now, space, run = ports.clock.now_ms(), lease.space, lease.owner
    record = ports.runs.get(space, run) or {"run": run, "started_ms": now}
    done = sum(int(record.get(name, 0)) for name in ("filed", "merged", "superseded"))
    status = "failed" if kind else "progress" if done else "no_progress"
    head = ports.spaces.head(space)
    if head.last_run.get("id") == run and head.last_run.get("status") != "running":
        return str(head.last_run["status"])  # recorded by an earlier attempt
    backoff: dict[str, Any] = {}
    if kind:
        backoff = backoff_state(int(head.backoff.get("failures", 0)), kind, now, Gate().interval_ms)
    before = head.last_run.get("unfinished", [])
    # entries that wait may be on the pages of a run before: its decisions count until they are filed
    left = [*before, run] if kind else before if record.get("deferred") else []
    last = {
        "id": run,
        "status": status,
        "at_ms": now,
        "productive_ms": now if status == "progress" else head.last_run.get("productive_ms"),
        "frame": record.get("frame") or head.last_run.get("frame"),
        "unfinished": left,
    }
    ended = {
        "status": status,
        "error": error or None,
        "error_kind": kind,
        "ended_ms": now,
        "took_ms": now - record["started_ms"],
    }
    ports.runs.put(space, run, {**record, **ended, "phase": "done"}, lease=lease)
    ports.spaces.update(space, {"last_run": last, "backoff": backoff, "checked_ms": now}, lease=lease)
    return status
