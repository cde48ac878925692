"""What the catalogue knows of a page and of a space without reading the bucket."""

from dataclasses import dataclass, field
from typing import Any

from remembrancer.core.records import record


@record(frozen=True, slots=True)
class SectionHead:
    """One section of a page: its key, its place, the number of its passages, and a hash of its text."""

    key: str
    ordinal: int
    passages: int
    chars: int
    sha: str


@record(frozen=True, slots=True)
class Neighbour:
    """One edge from a page: `kind` is link, wikilink, edge, semantic or learned."""

    slug: str
    kind: str
    weight: float


@record(frozen=True, slots=True)
class PageHead:
    """The catalogue's line for one page. `rev` counts its writes from 1; instants are UTC milliseconds.

    `near_rev` is the rev whose semantic neighbours are known. A semantic neighbour of weight 0 is a veto.
    `open` are targets whose backlinks are not written yet.
    """

    slug: str
    rev: int
    etag: str = ""
    version: str = ""
    sha256: str = ""
    title: str = ""
    summary: str = ""
    kind: str = ""
    status: str = ""
    source: str = ""
    origin_date: str = ""
    fresh_ms: int = 0
    modified_ms: int = 0
    chars: int = 0
    units: int = 0
    sections: tuple[SectionHead, ...] = ()
    links: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    importance: float | None = None
    in_degree: int = 0
    neighbours: tuple[Neighbour, ...] = ()
    near_rev: int = 0
    stale_after: str = ""
    parse_error: str = ""
    indexed_rev: int = 0
    open: tuple[str, ...] = ()
    run: str = ""
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class SpaceHead:
    """Everything about a space that a call needs at once. A space without a stored head has these defaults.

    `views` maps a view's name to the version of its object; `lanes` maps core, hot and fresh to slugs in order.
    `ubiquitous` are names found in at least 15 % of the units, `common` base-form words found in over 20 %.
    `frame` is the newest fence whose stamps readers honour.
    `backoff` is `{failures, kind, until_ms}`; `last_run` is `{id, status, at_ms, productive_ms}`.
    `upkeep` is what maintenance found last: `{at_ms, failed, drift, unembedded, lint}`.
    """

    space: str
    rev: int = 0
    enabled: bool = True
    lanes_live: bool = True
    activation_enabled: bool = True
    zone: str = "UTC"
    settings: dict[str, Any] = field(default_factory=dict)
    views: dict[str, str] = field(default_factory=dict)
    lanes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lanes_version: int = 0
    ubiquitous: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    years: tuple[int, ...] = ()
    units: int = 0
    index_identity: str = ""
    backoff: dict[str, Any] = field(default_factory=dict)
    last_run: dict[str, Any] = field(default_factory=dict)
    checked_ms: int = 0
    frame: int = 0
    upkeep: dict[str, Any] = field(default_factory=dict)


def tier(head: SpaceHead) -> str:
    """`off`, `v3`, `v2` or `v1`: the one place that decides."""
    if not head.enabled:
        return "off"
    if head.lanes_live:
        return "v3"
    return "v2" if head.activation_enabled else "v1"
