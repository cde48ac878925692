"""The end of a run's work: stamps and moves, which readers see all at once when the frame commits."""

from dataclasses import replace
from typing import Any

from remembrancer.core.stamps import apply, outcome_from
from remembrancer.parts.rollback import roll_back
from remembrancer.parts.run import get_manifest, progress
from remembrancer.ports import Lease, Move, Ports


def finish(ports: Ports, space: str, run: str, lease: Lease) -> dict[str, Any]:
    """Settle what a run has filed, under its own lease or that of the run which took over; counts.

    The frame is open from before the first stamp until the last entry has left the buffer. Safe to repeat.
    """
    plan = get_manifest(ports, space, run, "plan") or {"batches": []}
    evidence: dict[str, list[str]] = {}
    for number in range(len(plan["batches"])):
        evidence.update(get_manifest(ports, space, run, f"filed-{number}") or {})
    outcome = outcome_from(plan.get("outcome", {}))
    touched = {i for stamp in outcome.stamps for i in (stamp.loser, stamp.winner)}
    touched |= {i for pair in (*outcome.conflicts, *outcome.confirmed, *outcome.twins) for i in pair}
    touched |= evidence.keys()
    frame = {"id": run, "stamps": len(outcome.stamps)}
    progress(ports, lease, {"frame": {**frame, "state": "open"}}, run=run)
    found = ports.entries.get(space, sorted(touched))
    now = ports.clock.now_ms()
    changed = {entry.id: entry for entry in apply(found.values(), outcome, run, now, lease.fence)}
    losers = {stamp.loser for stamp in outcome.stamps}
    # what gives way leaves the buffer last, because a reader of the buffer knows no frame
    ended = losers | evidence.keys()
    leaving = sorted((i in losers, i) for i, entry in found.items() if entry.pending and i in ended)
    moves = [
        Move(replace(changed.get(i, found[i]), filed_by=run, filed_to=tuple(evidence.get(i, ()))))
        for _, i in leaving
    ]
    # filed entries that stand on another page now are told so
    stand = {i: tuple(slugs) for i, slugs in evidence.items() if i in found and not found[i].pending}
    told = {i: replace(changed.get(i, found[i]), filed_to=slugs) for i, slugs in stand.items()}
    changed |= {i: entry for i, entry in told.items() if entry != found[i]}
    ports.entries.stamp(space, [entry for i, entry in changed.items() if not found[i].pending], lease)
    moved = ports.entries.settle(space, moves, lease)
    counts = {
        "filed": sum(i in evidence and i in found for i in plan.get("taken", ())),
        "merged": sum(stamp.rule == "exact" for stamp in outcome.stamps),
        "superseded": sum(stamp.rule != "exact" for stamp in outcome.stamps),
    }
    committed = {**counts, "moved": moved, "frame": {**frame, "state": "committed"}}
    progress(ports, lease, committed, run=run)
    return counts


def take_over(ports: Ports, space: str, run: str, lease: Lease) -> None:
    """Bring a run that never ended to one: finished when it had begun to settle, else its pages are undone."""
    frame = ((ports.runs.get(space, run) or {}).get("frame") or {}).get("state")
    if frame == "open":
        finish(ports, space, run, lease)
    if frame is None:
        plan = get_manifest(ports, space, run, "plan") or {"batches": []}
        for batch in range(len(plan["batches"])):
            roll_back(ports, space, run, batch, lease)
