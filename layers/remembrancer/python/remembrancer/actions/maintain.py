"""Sixth task of a run: bring the projections and the space's statistics up to date."""

from typing import Any

from remembrancer.core.entries import KINDS
from remembrancer.core.statistics import Tally
from remembrancer.core.zones import local
from remembrancer.errors import RemembrancerError
from remembrancer.parts.graph import lists, rated
from remembrancer.parts.heads import every_page
from remembrancer.parts.run import held, progress
from remembrancer.ports import Ports


def maintain(ports: Ports, space: str, run: str) -> dict[str, Any]:
    """Word statistics and lane lists of the space head, and what links and use say of its pages.

    Nothing is removed when a dependency fails.
    """
    lease = held(ports, space, run)
    active = [entry for kind in KINDS for entry in ports.entries.active(space, kind)]
    tally = Tally()
    for entry in active:
        tally.add(f"{entry.speaker}: {entry.text}" if entry.speaker else entry.text)
    now = ports.clock.now_ms()
    heads, used = every_page(ports, space), list(ports.selections.recent(space))
    for old, new in zip(heads, rated(heads, used, now), strict=True):
        if new != old:
            ports.catalogue.rate(space, new)
    head = ports.spaces.head(space)
    changes: dict[str, Any] = {
        "ubiquitous": list(tally.ubiquitous()),
        "common": list(tally.common()),
        "years": sorted({local(entry.at_ms, entry.zone).year for entry in active}),
        "units": len(active),
        "lanes": {**head.lanes, **lists(heads, used, now)},
        "lanes_version": head.lanes_version + 1,
    }
    try:
        changes["index_identity"] = ports.index.identity
    except RemembrancerError:
        progress(ports, lease, {"degraded": ["index"]})
    ports.spaces.update(space, changes, lease=lease)
    progress(ports, lease, {"phase": "maintain"})
    return {"units": len(active)}
