"""Task of consolidate: one batch into its pages."""

from typing import Any

from remembrancer.actions.file import file_batch
from remembrancer.steps import Event, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    return file_batch(wiring(), event["space"], event["run"], event["batch"])
