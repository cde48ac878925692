"""Schedules and BufferFull events: start what is due."""

from typing import Any

from remembrancer.actions.due import start_due
from remembrancer.steps import Event, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    return start_due(wiring(), event["trigger"], event.get("space", ""))
