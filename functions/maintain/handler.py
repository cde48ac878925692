"""Task of consolidate: projections and statistics."""

from typing import Any

from remembrancer.actions.maintain import maintain
from remembrancer.steps import Event, measured, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    wired = wiring()
    found = maintain(wired, event["space"], event["run"], event.get("trigger", ""))
    counts = {f"pages.{name}": found[name] for name in ("drift", "unembedded") if name in found}
    measured(wired.settings.tenant, {**counts, "stages.failed": len(found.get("failed", ()))})
    return found
