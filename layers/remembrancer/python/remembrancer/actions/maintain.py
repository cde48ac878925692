"""Sixth task of a run: bring the projections and the space's statistics up to date."""

from typing import Any

from remembrancer.core.catalogue import PageHead
from remembrancer.errors import RemembrancerError
from remembrancer.parts.digest import load, save
from remembrancer.parts.graph import lists, rated
from remembrancer.parts.run import get_manifest, held, progress
from remembrancer.ports import Ports

PAGE = 1_000
COUNTED = 1_000


def maintain(ports: Ports, space: str, run: str) -> dict[str, Any]:
    """Word statistics and lane lists of the space head, and what links and use say of its pages.

    Nothing is removed when a dependency fails.
    """
    held(ports, space, run)
    digest = load(ports, space)
    digest.changed -= set((get_manifest(ports, space, run, "plan") or {}).get("compared", ()))
    save(ports, space, digest)
    for entry in ports.entries.pending(space, limit=COUNTED):
        digest.count(entry)
    now = ports.clock.now_ms()
    heads, used = every_page(ports, space), list(ports.selections.recent(space))
    for old, new in zip(heads, rated(heads, used, now), strict=True):
        if new != old:
            ports.catalogue.rate(space, new)
    head = ports.spaces.head(space)
    changes: dict[str, Any] = {
        "ubiquitous": list(digest.tally.ubiquitous()),
        "common": list(digest.tally.common()),
        "years": sorted(digest.years),
        "units": digest.tally.units,
        "lanes": {**head.lanes, **lists(heads, used, now)},
        "lanes_version": head.lanes_version + 1,
    }
    try:
        changes["index_identity"] = ports.index.identity
    except RemembrancerError:
        progress(ports, space, run, {"degraded": ["index"]})
    ports.spaces.update(space, changes)
    progress(ports, space, run, {"phase": "maintain"})
    return {"units": digest.tally.units}


def every_page(ports: Ports, space: str) -> list[PageHead]:
    """All live heads of a space."""
    heads, cursor = ports.catalogue.page(space, limit=PAGE)
    while cursor:
        more, cursor = ports.catalogue.page(space, limit=PAGE, cursor=cursor)
        heads += more
    return heads
