"""Task of consolidate: rewrite the views."""

from typing import Any

from remembrancer.actions.views import write_views
from remembrancer.steps import Event, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    return write_views(wiring(), event["space"], event["run"])
