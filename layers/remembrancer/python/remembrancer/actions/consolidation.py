"""Start a consolidation run by hand, and say how consolidation stands."""

from dataclasses import asdict
from typing import Any

from remembrancer.core.catalogue import tier
from remembrancer.core.dates import format_instant
from remembrancer.core.schedule import Gate, filed_through, next_due, progress_percent
from remembrancer.errors import Disabled, NotFound
from remembrancer.parts.run import active_run
from remembrancer.ports import Ports

COUNTED = 1_000


def run_now(ports: Ports, space: str) -> dict[str, Any]:
    """Start a run whatever the backoff says: `{ran, run, reason}`.

    `ran` is false when one goes on already (`active`; `run` is its id) and when nothing waits (`empty`).
    """
    if tier(ports.spaces.head(space)) in ("off", "v1"):
        raise Disabled("Memory is disabled.")
    lease = active_run(ports, space)
    if lease is not None:
        return {"ran": False, "run": lease.owner, "reason": "active"}
    if not ports.entries.pending(space, limit=1):
        return {"ran": False, "run": None, "reason": "empty"}
    run = ports.clock.new_id()
    ports.events.start_run(space, run, "manual")
    return {"ran": True, "run": run, "reason": "manual"}


def status(ports: Ports, space: str) -> dict[str, Any]:
    """How consolidation stands: what goes on, what waits, what was, what comes next and why."""
    head, now = ports.spaces.head(space), ports.clock.now_ms()
    pending = ports.entries.pending(space, limit=COUNTED)
    lease = active_run(ports, space)
    phase = str((ports.runs.get(space, lease.owner) or {}).get("phase", "gate")) if lease else ""
    lines = sum(entry.lines for entry in pending)
    last_write = pending[-1].remembered_ms if pending else 0
    due = next_due(head, pending=len(pending), lines=lines, last_write_ms=last_write, now_ms=now)
    oldest_ms = pending[0].remembered_ms if pending else None
    return {
        "active": {"run": lease.owner, "phase": phase} if lease else None,
        "progress": progress_percent(phase, len(pending)),
        "pending": {"entries": len(pending), "lines": lines, "oldest_at": instant(oldest_ms)},
        "last_run": head.last_run or None,
        "last_productive_at": instant(head.last_run.get("productive_ms")),
        "filed_through": filed_through(head, oldest_ms, now),
        "next_due": {"at": instant(due.at_ms), "reason": due.reason},
        "backoff": head.backoff or None,
        "gate": asdict(Gate()),
        "maintenance": maintenance(head.upkeep),
    }


def instant(at_ms: int | None) -> str | None:
    """The instant as text, None for none."""
    return None if at_ms is None else format_instant(at_ms)


def maintenance(upkeep: dict[str, Any]) -> dict[str, Any] | None:
    """What the last maintenance found, and the last weekly report; None before the first."""
    if not upkeep:
        return None
    report = upkeep.get("lint")
    lint = (
        {"at": instant(report["at_ms"]), "counts": report["counts"], "first": report["first"]} if report else None
    )
    found = {name: upkeep.get(name) for name in ("drift", "unembedded", "failed")}
    return {"at": instant(upkeep["at_ms"]), **found, "lint": lint}


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
