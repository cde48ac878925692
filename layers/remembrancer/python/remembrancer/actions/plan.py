"""Second task of a run: take a snapshot, decide by rules, and split the filing into batches."""

from collections.abc import Sequence
from typing import Any

from remembrancer.core.batches import batches, together
from remembrancer.core.place import SECTIONS, Target, month_target, words
from remembrancer.core.schedule import Gate, take
from remembrancer.core.walk import walk
from remembrancer.parts.digest import load
from remembrancer.parts.earlier import decisions, passed_over
from remembrancer.parts.heads import every_page
from remembrancer.parts.places import places
from remembrancer.parts.run import get_manifest, held, progress, put_manifest
from remembrancer.parts.settling import take_over
from remembrancer.ports import Ports

COUNTED = 1_000


def plan(ports: Ports, space: str, run: str) -> dict[str, Any]:
    """Write `plan.json`; `{batches: [{batch: 0}, …], taken, deferred}`. A retry finds the plan that is there."""
    lease = held(ports, space, run)
    made = get_manifest(ports, space, run, "plan")
    if made is None:
        unfinished = (ports.runs.get(space, run) or {}).get("unfinished", [])
        for other in unfinished:
            take_over(ports, space, other, lease)
        made = _make(ports, space, unfinished)
        put_manifest(ports, space, run, "plan", made)
    counts = {"taken": len(made["taken"]), "deferred": made["deferred"]}
    progress(ports, lease, {"phase": "plan", **counts, "batches": len(made["batches"])})
    return {"batches": [{"batch": number} for number in range(len(made["batches"]))], **counts}


def _make(ports: Ports, space: str, unfinished: Sequence[str]) -> dict[str, Any]:
    taken, deferred = take(ports.entries.pending(space, limit=COUNTED), Gate().cap)
    digest = load(ports, space)
    changed = [entry for entry in ports.entries.get(space, sorted(digest.changed)).values() if not entry.pending]
    near = ports.entries.get(space, sorted(digest.alike([*taken, *changed])))
    filed = [entry for entry in {**near, **{e.id: e for e in changed}}.values() if not entry.pending]
    fresh = {entry.id for entry in taken}
    outcome = walk([*taken, *filed], fresh=fresh | {entry.id for entry in changed})
    losers = {stamp.loser for stamp in outcome.stamps}
    survivors = {entry.id: entry for entry in taken if entry.id not in losers}
    decided, left = decisions(ports, space, unfinished)
    for entry in survivors.values():
        digest.names.add(entry)
    placed = places(ports, space, list(survivors.values()), digest.names.cast(), decided)
    late = passed_over(ports, space, survivors)
    placed.update({entry_id: month_target(survivors[entry_id]) for entry_id in late})
    targets = together(placed, outcome.twins, {**survivors, **{entry.id: entry for entry in filed}})
    targets |= {id: target for id, target in decided.items() if id in survivors and id not in late}
    leaving: dict[str, list[str]] = {}
    for entry in (*filed, *taken):
        slugs = set(entry.filed_to) | ({decided[entry.id].slug} if entry.id in decided else set())
        for slug in sorted(slugs) if entry.id in losers else ():
            leaving.setdefault(slug, []).append(entry.id)
    # what an unfinished run took off a page that somebody changed since, and that stays after all, goes back
    back = {entry.id: entry for entry in filed if entry.id in left and entry.id not in losers}
    targets |= {id: Target(left[id], words(left[id]), SECTIONS[entry.kind]) for id, entry in back.items()}
    return {
        "passages": sum(head.units for head in every_page(ports, space)),
        "taken": sorted(fresh),
        "compared": sorted(digest.changed),
        "deferred": deferred,
        "outcome": outcome.as_dict(),
        "batches": batches(targets, leaving),
        "targets": {entry_id: target.as_dict() for entry_id, target in targets.items()},
    }
