"""Task of consolidate: record the outcome, give the lease back."""

from typing import Any

from remembrancer.actions.release import release
from remembrancer.steps import Event, count, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    ended = release(wiring(), event["space"], event["run"], event.get("error", ""))
    if ended["error"] == "deletion_budget":
        count("run.deletion_budget")
    return ended
