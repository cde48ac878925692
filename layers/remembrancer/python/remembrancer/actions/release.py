"""Last task of a run: record what really happened and give the lease back. Runs whatever went before."""

from typing import Any

from remembrancer.core.schedule import Gate, backoff_state, kind_of_error
from remembrancer.ports import Ports


def release(ports: Ports, space: str, run: str, error: str = "") -> dict[str, Any]:
    """`{status}`: progress, no_progress or failed. A run that has lost its lease changes nothing."""
    lease = ports.leases.current(space)
    if lease is None or lease.owner != run:
        return {"status": "lost"}
    now = ports.clock.now_ms()
    record = ports.runs.get(space, run) or {"run": run, "started_ms": now}
    done = sum(int(record.get(name, 0)) for name in ("filed", "merged", "superseded"))
    status = "failed" if error else "progress" if done else "no_progress"
    head = ports.spaces.head(space)
    backoff: dict[str, Any] = {}
    if error:
        backoff = backoff_state(
            int(head.backoff.get("failures", 0)), kind_of_error(error), now, Gate().interval_ms
        )
    last = {
        "id": run,
        "status": status,
        "at_ms": now,
        "productive_ms": now if status == "progress" else head.last_run.get("productive_ms"),
        "frame": record.get("frame") or head.last_run.get("frame"),
        "unfinished": [*head.last_run.get("unfinished", []), run] if error else [],
    }
    ended = {"status": status, "error": error or None, "ended_ms": now, "took_ms": now - record["started_ms"]}
    ports.runs.put(space, run, {**record, **ended, "phase": "done"})
    ports.spaces.update(space, {"last_run": last, "backoff": backoff, "checked_ms": now})
    ports.leases.release(lease)
    return {"status": status}
