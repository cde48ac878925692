"""Task of consolidate: may this run start?"""

from typing import Any

from remembrancer.actions.gate import gate
from remembrancer.steps import Event, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    return gate(wiring(), event["space"], event["run"], event.get("trigger", "manual"))
