"""Task of consolidate: entries with evidence leave the buffer."""

from typing import Any

from remembrancer.actions.settle import settle
from remembrancer.steps import Event, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    return settle(wiring(), event["space"], event["run"])
