"""Which spaces are due for consolidation now."""

from typing import Any

from remembrancer.core.schedule import decide
from remembrancer.ports import Ports

PAGE = 100


def start_due(ports: Ports, trigger: str, space: str = "") -> dict[str, Any]:
    """Start a run for every space with pending entries (or the named one) that is due; counts by outcome."""
    outcome: dict[str, int] = {}
    cursor = ""
    while True:
        lines, cursor = ports.spaces.all(limit=PAGE, cursor=cursor)
        for line in lines:
            if line["pending"] and (not space or line["space"] == space):
                reason = _consider(ports, trigger, line)
                outcome[reason] = outcome.get(reason, 0) + 1
        if not cursor:
            return outcome


def _consider(ports: Ports, trigger: str, line: dict[str, Any]) -> str:
    name, now = line["space"], ports.clock.now_ms()
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
