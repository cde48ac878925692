"""Task of consolidate: projections and statistics."""

from typing import Any

from remembrancer.actions.maintain import maintain
from remembrancer.steps import Event, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    return maintain(wiring(), event["space"], event["run"], event.get("trigger", ""))
