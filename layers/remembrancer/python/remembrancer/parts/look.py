"""A search on demand as its caller describes it."""

from dataclasses import dataclass

from remembrancer.core.dates import parse_instant
from remembrancer.core.entries import KINDS
from remembrancer.core.results import STRATEGIES
from remembrancer.core.zones import parse_zone
from remembrancer.errors import Invalid
from remembrancer.parts.page_level import TYPES
from remembrancer.parts.retrieve import Filter

WHAT: dict[str, tuple[str, ...]] = {
    "": ("passage", "entry"),
    "passages": ("passage",),
    "entries": ("entry",),
    "sections": ("passage",),
    "pages": TYPES,
}


@dataclass(frozen=True, slots=True)
class Look:
    """What is asked for. What belongs to `pages` joins; `floor` is a share of the best score."""

    query: str = ""
    limit: int = 8
    kinds: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    after: str = ""
    before: str = ""
    include_superseded: bool = False
    what: str = ""
    zone: str = ""
    strategy: str = "ranked"
    seed: int | None = None
    floor: float | None = None


def wanted_by(look: Look) -> Filter:
    """What hits are limited to. Raises `Invalid` before anything is read."""
    if any(kind not in KINDS for kind in look.kinds):
        raise Invalid(f"each one of {', '.join(KINDS)}", field="kinds")
    if look.what not in WHAT:
        raise Invalid(f"one of {', '.join(filter(None, WHAT))}", field="what")
    if look.strategy not in STRATEGIES:
        raise Invalid(f"one of {', '.join(STRATEGIES)}", field="strategy")
    if look.zone:
        parse_zone(look.zone)
    return Filter(
        types=WHAT[look.what],
        kinds=look.kinds,
        after_ms=parse_instant(look.after, "after") if look.after else None,
        before_ms=parse_instant(look.before, "before") if look.before else None,
        superseded=look.include_superseded,
    )
