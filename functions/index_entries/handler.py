"""Changes of entries, from the table's stream."""

from typing import Any

from remembrancer.actions.index_entries import follow
from remembrancer.steps import Event, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    changed: dict[str, list[str]] = {}
    for record in event["Records"]:
        keys = record["dynamodb"]["Keys"]
        owner, _, part = keys["pk"]["S"].removeprefix("S#").partition("#")
        if part in ("BUFFER", "ENTRIES") and record["eventName"] != "REMOVE":
            changed.setdefault(owner, []).append(keys["sk"]["S"])
    return {space: follow(wiring(), space, sorted(set(ids))) for space, ids in changed.items()}
