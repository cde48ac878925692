"""Second task of a run: take a snapshot, decide by rules, and split the filing into batches."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from remembrancer.core.batches import batches, together
from remembrancer.core.catalogue import SpaceHead
from remembrancer.core.entries import KINDS, Entry
from remembrancer.core.links import wikilinks
from remembrancer.core.place import SECTIONS, Target, named_entities, place, words
from remembrancer.core.schedule import Gate, take
from remembrancer.core.slugs import is_slug, slugify
from remembrancer.core.walk import walk
from remembrancer.parts.heads import every_page
from remembrancer.parts.retrieve import Filter, retrieve
from remembrancer.parts.run import get_manifest, held, progress, put_manifest
from remembrancer.parts.settling import take_over
from remembrancer.ports import Ports

PAGE_FLOOR = 0.55  # cosine below which no page is close enough to take a fact in
LOOK_S = 3.0
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
    fresh = {entry.id for entry in taken}
    filed = [entry for kind in KINDS for entry in ports.entries.active(space, kind) if not entry.pending]
    outcome = walk([*taken, *filed], fresh=fresh)
    losers = {stamp.loser for stamp in outcome.stamps}
    survivors = {entry.id: entry for entry in taken if entry.id not in losers}
    decided, left = _before(ports, space, unfinished)
    new = [entry for entry in survivors.values() if entry.id not in decided]
    targets = together(_places(ports, space, new, [*taken, *filed]), outcome.twins, survivors)
    targets |= {id: target for id, target in decided.items() if id in survivors}
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
        "deferred": deferred,
        "outcome": outcome.as_dict(),
        "batches": batches(targets, leaving),
        "targets": {entry_id: target.as_dict() for entry_id, target in targets.items()},
    }


def _before(ports: Ports, space: str, unfinished: Sequence[str]) -> tuple[dict[str, Target], dict[str, str]]:
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


def _places(ports: Ports, space: str, entries: Sequence[Entry], known: Sequence[Entry]) -> dict[str, Target]:
    """Where each survivor goes; the names in all `known` entries count."""
    hinted = sorted({slug for entry in entries for slug in hints(entry)})
    heads = ports.catalogue.heads(space, hinted)
    existing = {slug for slug, head in heads.items() if not head.deleted}
    titles = {head.title.casefold(): slug for slug, head in heads.items() if slug in existing}
    space_head = ports.spaces.head(space)
    counts = Counter(name for entry in known for name in named_entities(entry))
    targets: dict[str, Target] = {}
    for entry in entries:
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
