"""Sixth task of a run: bring the projections and the space's statistics up to date."""

from typing import Any

from remembrancer.core.entries import KINDS
from remembrancer.core.statistics import Tally
from remembrancer.core.zones import local
from remembrancer.errors import RemembrancerError
from remembrancer.parts.run import held, progress
from remembrancer.ports import Ports

FRESH = 100


def maintain(ports: Ports, space: str, run: str) -> dict[str, Any]:
    """Word statistics and lane lists of the space head. Nothing is removed when a dependency fails."""
    held(ports, space, run)
    active = [entry for kind in KINDS for entry in ports.entries.active(space, kind)]
    tally = Tally()
    for entry in active:
        tally.add(f"{entry.speaker}: {entry.text}" if entry.speaker else entry.text)
    heads, _ = ports.catalogue.page(space, limit=1_000)
    fresh = sorted(heads, key=lambda head: (-head.fresh_ms, head.slug))[:FRESH]
    head = ports.spaces.head(space)
    changes: dict[str, Any] = {
        "ubiquitous": list(tally.ubiquitous()),
        "common": list(tally.common()),
        "years": sorted({local(entry.at_ms, entry.zone).year for entry in active}),
        "units": len(active),
        "lanes": {**head.lanes, "fresh": [page.slug for page in fresh]},
        "lanes_version": head.lanes_version + 1,
    }
    try:
        changes["index_identity"] = ports.index.identity
    except RemembrancerError:
        progress(ports, space, run, {"degraded": ["index"]})
    ports.spaces.update(space, changes)
    progress(ports, space, run, {"phase": "maintain"})
    return {"units": len(active)}
