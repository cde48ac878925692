"""Task of consolidate: snapshot, rules, batches."""

from typing import Any

from remembrancer.actions.plan import plan
from remembrancer.steps import Event, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    return plan(wiring(), event["space"], event["run"])
