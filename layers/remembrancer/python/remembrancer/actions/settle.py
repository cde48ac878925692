"""Fourth task of a run: the entries that have evidence leave the buffer; then the frame commits."""

from dataclasses import replace
from typing import Any

from remembrancer.core.stamps import apply, outcome_from
from remembrancer.parts.run import get_manifest, held, progress
from remembrancer.ports import Move, Ports


def settle(ports: Ports, space: str, run: str) -> dict[str, Any]:
    """Counts `{filed, merged, superseded}`. Safe to repeat: what has moved already is not moved again."""
    lease = held(ports, space, run)
    plan = get_manifest(ports, space, run, "plan") or {"batches": []}
    evidence: dict[str, list[str]] = {}
    for number in range(len(plan["batches"])):
        evidence.update(get_manifest(ports, space, run, f"filed-{number}") or {})
    outcome = outcome_from(plan.get("outcome", {}))
    touched = {i for stamp in outcome.stamps for i in (stamp.loser, stamp.winner)}
    touched |= {i for pair in (*outcome.conflicts, *outcome.confirmed, *outcome.twins) for i in pair} | set(
        evidence
    )
    found = ports.entries.get(space, sorted(touched))
    changed = {entry.id: entry for entry in apply(found.values(), outcome, run, ports.clock.now_ms())}
    frame: dict[str, Any] = {"id": run, "stamps": len(outcome.stamps)}
    if outcome.stamps:
        progress(ports, space, run, {"frame": {**frame, "state": "open"}})
    losers = {stamp.loser for stamp in outcome.stamps}
    moves = [
        Move(replace(changed.get(i, entry), filed_by=run, filed_to=tuple(evidence.get(i, ()))))
        for i, entry in sorted(found.items())
        if entry.pending and (i in evidence or i in losers)
    ]
    moved = ports.entries.settle(space, moves, lease)
    ports.entries.stamp(space, [entry for i, entry in changed.items() if not found[i].pending], lease)
    counts = {
        "filed": sum(i in found for i in evidence),
        "merged": sum(stamp.rule == "exact" for stamp in outcome.stamps),
        "superseded": sum(stamp.rule != "exact" for stamp in outcome.stamps),
    }
    committed = {"frame": {**frame, "state": "committed"}} if outcome.stamps else {}
    progress(ports, space, run, {"phase": "settle", **counts, "moved": moved, **committed})
    return counts
