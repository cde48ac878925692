"""Fourth task of a run: the entries that have evidence leave the buffer; then the frame commits."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from remembrancer.core.entries import Entry
from remembrancer.core.walk import Outcome, Stamp, apply
from remembrancer.parts.run import get_manifest, held, progress
from remembrancer.ports import Move, Ports


def settle(ports: Ports, space: str, run: str) -> dict[str, Any]:
    """Counts `{filed, merged, superseded}`. Safe to repeat: what has moved already is not moved again."""
    lease = held(ports, space, run)
    plan = get_manifest(ports, space, run, "plan") or {
        "taken": [],
        "batches": [],
        "stamps": [],
        "confirmed": [],
        "conflicts": [],
    }
    evidence: dict[str, list[str]] = {}
    for number in range(len(plan["batches"])):
        evidence.update(get_manifest(ports, space, run, f"filed-{number}") or {})
    stamps = [Stamp(**stamp) for stamp in plan["stamps"]]
    touched = {i for stamp in stamps for i in (stamp.loser, stamp.winner)} | set(evidence)
    touched |= {i for pair in plan["conflicts"] for i in pair}
    found = ports.entries.get(space, sorted(touched))
    outcome = Outcome(tuple(stamps), tuple(plan["confirmed"]), tuple((a, b) for a, b in plan["conflicts"]))
    changed = {e.id: e for e in apply(list(found.values()), outcome, run, ports.clock.now_ms())}
    frame = {"id": run, "state": "open", "stamps": plan["stamps"]} if stamps else None
    if frame:
        progress(ports, space, run, {"frame": frame})
    moves = [
        Move(_filed(changed.get(i, found[i]), run, evidence.get(i, []))) for i in _leaving(found, evidence, stamps)
    ]
    moved = ports.entries.settle(space, moves, lease)
    ports.entries.stamp(space, [entry for entry in changed.values() if not found[entry.id].pending], lease)
    counts = {
        "filed": sum(1 for i in evidence if i in found),
        "merged": sum(stamp.rule == "exact" for stamp in stamps),
        "superseded": sum(stamp.rule != "exact" for stamp in stamps),
    }
    committed = {"frame": {**frame, "state": "committed"}} if frame else {}
    progress(ports, space, run, {"phase": "settle", **counts, "moved": moved, **committed})
    return counts


def _leaving(found: Mapping[str, Entry], evidence: Mapping[str, Any], stamps: list[Stamp]) -> list[str]:
    """Ids of pending entries that may leave: a page cites them, or a rule ended them."""
    ended = {stamp.loser for stamp in stamps}
    return [i for i, entry in sorted(found.items()) if entry.pending and (i in evidence or i in ended)]


def _filed(entry: Entry, run: str, slugs: list[str]) -> Entry:
    return replace(entry, filed_by=run, filed_to=tuple(slugs))
