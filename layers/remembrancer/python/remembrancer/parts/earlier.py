"""What earlier runs mean for the next plan: what unfinished ones decided, and what finished ones passed over."""

from collections.abc import Collection, Sequence

from remembrancer.core.place import Target
from remembrancer.parts.run import get_manifest
from remembrancer.ports import Ports

LOOK_BACK = 50
PATIENCE = 3
"""Productive runs that may pass an entry over before the simplest rule files it."""


def decisions(ports: Ports, space: str, unfinished: Sequence[str]) -> tuple[dict[str, Target], dict[str, str]]:
    """What unfinished runs had decided: the target of each entry, and the page that each was to leave.

    It stands, because a page that somebody changed since could not be undone.
    """
    decided: dict[str, Target] = {}
    left: dict[str, str] = {}
    for other in unfinished:
        plan = get_manifest(ports, space, other, "plan") or {"targets": {}, "batches": []}
        decided |= {id: Target(**target) for id, target in plan["targets"].items()}
        left |= {id: page["slug"] for batch in plan["batches"] for page in batch for id in page["leaving"]}
    return decided, left


def passed_over(ports: Ports, space: str, waiting: Collection[str]) -> list[str]:
    """Entries that the last three productive runs took and did not file."""
    records, _ = ports.runs.page(space, limit=LOOK_BACK)
    runs = [str(record["run"]) for record in records if record.get("status") == "progress"][:PATIENCE]
    if len(runs) < PATIENCE:
        return []
    left = {entry_id for entry_id in waiting if entry_id < min(runs)}
    for run in runs if left else ():
        left &= set((get_manifest(ports, space, run, "plan") or {}).get("taken", []))
    return sorted(left)
