"""Second task of a run: take a snapshot, decide by rules, and split the filing into batches."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from remembrancer.core.batches import batches, together
from remembrancer.core.catalogue import SpaceHead
from remembrancer.core.entries import Entry
from remembrancer.core.links import wikilinks
from remembrancer.core.place import Target, named_entities, place
from remembrancer.core.schedule import Gate, take
from remembrancer.core.slugs import is_slug, slugify
from remembrancer.core.walk import walk
from remembrancer.parts.digest import load
from remembrancer.parts.retrieve import Filter, retrieve
from remembrancer.parts.run import get_manifest, held, progress, put_manifest
from remembrancer.ports import Ports

PAGE_FLOOR = 0.55  # cosine below which no page is close enough to take a fact in
LOOK_S = 3.0
COUNTED = 1_000


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
    digest = load(ports, space)
    changed = [entry for entry in ports.entries.get(space, sorted(digest.changed)).values() if not entry.pending]
    near = ports.entries.get(space, sorted(digest.alike([*taken, *changed])))
    filed = [entry for entry in {**near, **{e.id: e for e in changed}}.values() if not entry.pending]
    fresh = {entry.id for entry in taken}
    outcome = walk([*taken, *filed], fresh=fresh | {entry.id for entry in changed})
    losers = {stamp.loser for stamp in outcome.stamps}
    survivors = {entry.id: entry for entry in taken if entry.id not in losers}
    targets = together(
        _places(ports, space, run, list(survivors.values()), digest.names), outcome.twins, survivors
    )
    leaving: dict[str, list[str]] = {}
    for entry in filed:
        for slug in entry.filed_to if entry.id in losers else ():
            leaving.setdefault(slug, []).append(entry.id)
    return {
        "taken": sorted(fresh),
        "compared": sorted(digest.changed),
        "deferred": deferred,
        "outcome": outcome.as_dict(),
        "batches": batches(targets, leaving),
        "targets": {entry_id: target.as_dict() for entry_id, target in targets.items()},
    }


def _places(
    ports: Ports, space: str, run: str, entries: Sequence[Entry], names: Mapping[str, int]
) -> dict[str, Target]:
    """Where each survivor goes. What an unfinished run had decided stands, so that nothing is filed twice."""
    decided: dict[str, Any] = {}
    for other in (ports.runs.get(space, run) or {}).get("unfinished", []):
        decided.update((get_manifest(ports, space, other, "plan") or {}).get("targets", {}))
    hinted = sorted({slug for entry in entries for slug in hints(entry)})
    heads = ports.catalogue.heads(space, hinted)
    existing = {slug for slug, head in heads.items() if not head.deleted}
    titles = {head.title.casefold(): slug for slug, head in heads.items() if slug in existing}
    space_head = ports.spaces.head(space)
    counts = Counter(name for entry in entries for name in named_entities(entry)) + Counter(names)
    targets: dict[str, Target] = {}
    for entry in entries:
        if entry.id in decided:
            targets[entry.id] = Target(**decided[entry.id])
            continue
        match = None if any(slug in existing for slug in hints(entry)) else _match(ports, space, space_head, entry)
        targets[entry.id] = place(
            entry,
            existing=existing,
            titles=titles,
            match=match,
            floor=PAGE_FLOOR,
            entity_counts={name: counts[name] for name in named_entities(entry)},
        )
    return targets


def hints(entry: Entry) -> list[str]:
    """The page slugs that an entry's links may mean, in order."""
    return list(dict.fromkeys(link if is_slug(link) else slugify(link) for link in wikilinks(entry.text)))


def _match(ports: Ports, space: str, head: SpaceHead, entry: Entry) -> tuple[str, float] | None:
    """The page whose passage is closest to the entry, with the cosine; None when search does not answer."""
    found = retrieve(
        ports,
        space,
        head,
        entry.text,
        now_ms=entry.at_ms,
        zone=entry.zone,
        wanted=Filter(types=("passage",)),
        purpose="recall",
        timeout_s=LOOK_S,
    )
    near = [(r.hit.cosine, r.hit.unit.parent) for r in found.ranked if r.hit.cosine is not None]
    return (max(near)[1], max(near)[0]) if near else None
