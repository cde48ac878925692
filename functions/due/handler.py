"""Schedules and BufferFull events: start what is due."""

from typing import Any

from remembrancer.actions.due import start_due
from remembrancer.steps import Event, measured, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    wired = wiring()
    found = start_due(wired, event["trigger"], event.get("space", ""))
    if not event.get("space"):
        measured(
            wired.settings.tenant, {"entries.oldest_s": found["oldest_s"], "spaces.overdue": found["overdue"]}
        )
    return found
