"""Which spaces are due for consolidation now."""

from typing import Any

from remembrancer.core.schedule import UPKEEP, decide, overdue
from remembrancer.ports import Ports

PAGE = 100


def start_due(ports: Ports, trigger: str, space: str = "") -> dict[str, Any]:
    """Start a run for every space with pending entries (or the named one) that is due; counts by outcome.

    `oldest_s` is how long the oldest pending entry waits, and `overdue` how many spaces have one that waits for
    more than two intervals. The trigger `upkeep` starts maintenance in every space.
    """
    outcome: dict[str, int] = {"oldest_s": 0, "overdue": 0}
    cursor = ""
    while True:
        lines, cursor = ports.spaces.all(limit=PAGE, cursor=cursor)
        for line in lines:
            if space and line["space"] != space:
                continue
            _wait(ports, line, outcome)
            if trigger == UPKEEP or line["pending"]:
                reason = _consider(ports, trigger, line)
                outcome[reason] = outcome.get(reason, 0) + 1
        if not cursor:
            return outcome


def _wait(ports: Ports, line: dict[str, Any], outcome: dict[str, int]) -> None:
    """Count how long the oldest pending entry of a space has waited."""
    now = ports.clock.now_ms()
    for oldest in ports.entries.pending(line["space"], limit=1) if line["pending"] else ():
        outcome["oldest_s"] = max(outcome["oldest_s"], (now - oldest.remembered_ms) // 1000)
        outcome["overdue"] += overdue(oldest.remembered_ms, line["pending"], now)


def _consider(ports: Ports, trigger: str, line: dict[str, Any]) -> str:
    name, now = line["space"], ports.clock.now_ms()
    if trigger == UPKEEP:
        ports.events.start_run(name, ports.clock.new_id(), trigger)
        return "started"
    decision = decide(
        trigger,
        head=ports.spaces.head(name),
        pending=line["pending"],
        lines=line["lines"],
        oldest_ms=line["last_write_ms"],
        last_write_ms=line["last_write_ms"],
        now_ms=now,
    )
    if decision.advance_check:
        ports.spaces.update(name, {"checked_ms": now})
    if decision.run:
        ports.events.start_run(name, ports.clock.new_id(), trigger)
        return "started"
    return decision.reason
