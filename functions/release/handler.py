"""Task of consolidate: record the outcome, give the lease back."""

from typing import Any

from remembrancer.actions.release import release
from remembrancer.steps import Event, measured, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    wired = wiring()
    ended = release(wired, event["space"], event["run"], event.get("error", ""))
    measured(wired.settings.tenant, {"run.deletion_budget": int(ended["error"] == "deletion_budget")})
    return ended
