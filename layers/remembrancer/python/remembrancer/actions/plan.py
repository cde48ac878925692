"""Second task of a run: take a snapshot, decide by rules, and split the filing into batches."""

from collections.abc import Collection
from typing import Any

from remembrancer.core.batches import batches, together
from remembrancer.core.entries import KINDS
from remembrancer.core.place import Target, month_target
from remembrancer.core.schedule import Gate, take
from remembrancer.core.walk import walk
from remembrancer.parts.places import places
from remembrancer.parts.run import get_manifest, held, progress, put_manifest
from remembrancer.ports import Ports

COUNTED = 1_000
LOOK_BACK = 50
PATIENCE = 3  # productive runs that may pass an entry over before the simplest rule files it


def plan(ports: Ports, space: str, run: str) -> dict[str, Any]:
    """Write `plan.json`; `{batches: [{batch: 0}, …], taken, deferred}`. A retry finds the plan that is there."""
    held(ports, space, run)
    made = get_manifest(ports, space, run, "plan")
    if made is None:
        made = _make(ports, space, run)
        put_manifest(ports, space, run, "plan", made)
    counts = {"taken": len(made["taken"]), "deferred": made["deferred"]}
    progress(ports, space, run, {"phase": "plan", **counts, "batches": len(made["batches"])})
    return {"batches": [{"batch": number} for number in range(len(made["batches"]))], **counts}


def _make(ports: Ports, space: str, run: str) -> dict[str, Any]:
    taken, deferred = take(ports.entries.pending(space, limit=COUNTED), Gate().cap)
    fresh = {entry.id for entry in taken}
    filed = [entry for kind in KINDS for entry in ports.entries.active(space, kind) if not entry.pending]
    outcome = walk([*taken, *filed], fresh=fresh)
    losers = {stamp.loser for stamp in outcome.stamps}
    survivors = {entry.id: entry for entry in taken if entry.id not in losers}
    placed = places(ports, space, list(survivors.values()), filed, _decided(ports, space, run))
    late = _passed_over(ports, space, survivors)
    placed.update({entry_id: month_target(survivors[entry_id]) for entry_id in late})
    targets = together(placed, outcome.twins, {**survivors, **{entry.id: entry for entry in filed}})
    leaving: dict[str, list[str]] = {}
    for entry in filed:
        for slug in entry.filed_to if entry.id in losers else ():
            leaving.setdefault(slug, []).append(entry.id)
    return {
        "taken": sorted(fresh),
        "deferred": deferred,
        "outcome": outcome.as_dict(),
        "batches": batches(targets, leaving),
        "targets": {entry_id: target.as_dict() for entry_id, target in targets.items()},
    }


def _decided(ports: Ports, space: str, run: str) -> dict[str, Target]:
    """What unfinished runs had decided. It stands, so that nothing is filed twice."""
    found: dict[str, Any] = {}
    for other in (ports.runs.get(space, run) or {}).get("unfinished", []):
        found.update((get_manifest(ports, space, other, "plan") or {}).get("targets", {}))
    return {entry_id: Target(**target) for entry_id, target in found.items()}


def _passed_over(ports: Ports, space: str, waiting: Collection[str]) -> list[str]:
    """Entries that the last three productive runs took and did not file."""
    records, _ = ports.runs.page(space, limit=LOOK_BACK)
    runs = [str(record["run"]) for record in records if record.get("status") == "progress"][:PATIENCE]
    if len(runs) < PATIENCE:
        return []
    left = {entry_id for entry_id in waiting if entry_id < min(runs)}
    for run in runs if left else ():
        left &= set((get_manifest(ports, space, run, "plan") or {}).get("taken", []))
    return sorted(left)
