"""Find units: one request to the index, then every hit held against the truth."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from remembrancer.core.catalogue import PageHead, SpaceHead
from remembrancer.core.entries import Entry
from remembrancer.core.query import Analysis, analyse
from remembrancer.core.ranking import Ranked, rank
from remembrancer.core.units import Hit
from remembrancer.errors import RemembrancerError
from remembrancer.ports import Lane, Ports, Search, Vector

SIZE = 100


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Ranked live units, the catalogue heads and entries behind them, and what had to be done without."""

    ranked: tuple[Ranked, ...]
    heads: dict[str, PageHead]
    entries: dict[str, Entry]
    degraded: tuple[str, ...]
    analysis: Analysis


@dataclass(frozen=True, slots=True)
class Filter:
    """What a caller wants hits to be limited to. Empty means everything."""

    types: tuple[str, ...] = ("passage", "entry")
    kinds: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    after_ms: int | None = None
    before_ms: int | None = None
    superseded: bool = False


def retrieve(
    ports: Ports,
    space: str,
    head: SpaceHead,
    message: str,
    *,
    now_ms: int,
    zone: str,
    wanted: Filter,
    purpose: str,
    timeout_s: float,
) -> Retrieved:
    """Both lanes in one request; stale, deleted, superseded and forgotten hits dropped; then the score.

    A failing embedder or index is named in `degraded`; it never raises for them.
    """
    analysis = analyse(
        message, ubiquitous=head.ubiquitous, common=head.common, years=head.years, now_ms=now_ms, zone=zone
    )
    degraded: list[str] = []
    vector: Vector | None = None
    try:
        vector = ports.embedder.embed([analysis.dense], "query")[0] if analysis.dense.strip() else None
    except RemembrancerError:
        degraded.append("embedder")
    lanes = [Lane("bm25", text=analysis.lexical, size=SIZE)] if analysis.lexical else []
    if vector is not None:
        lanes.append(Lane("knn", vector=vector, size=SIZE))
    hits: tuple[Hit, ...] = ()
    if lanes:
        search = Search(
            space,
            tuple(lanes),
            vector=vector,
            types=wanted.types,
            kinds=wanted.kinds,
            parents=wanted.parents,
            after_ms=wanted.after_ms,
            before_ms=wanted.before_ms,
            timeout_s=timeout_s,
        )
        try:
            found = ports.index.search(search)
            hits, degraded = found.hits, [*degraded, *found.degraded]
        except RemembrancerError:
            degraded.append("index")
    heads, entries = current(ports, space, hits)
    live = [hit for hit in hits if alive(hit, heads, entries, superseded=wanted.superseded)]
    return Retrieved(tuple(rank(live, analysis, purpose=purpose)), heads, entries, tuple(degraded), analysis)


def current(ports: Ports, space: str, hits: Sequence[Hit]) -> tuple[dict[str, PageHead], dict[str, Entry]]:
    """What the catalogue says now about the pages and entries behind the hits, read side by side."""
    slugs = list(dict.fromkeys(h.unit.parent for h in hits if h.unit.type != "entry"))
    ids = list(dict.fromkeys(h.unit.parent for h in hits if h.unit.type == "entry"))
    with ThreadPoolExecutor(2) as pool:
        heads = pool.submit(lambda: ports.catalogue.heads(space, slugs) if slugs else {})
        entries = pool.submit(lambda: ports.entries.get(space, ids) if ids else {})
        return heads.result(), entries.result()


def alive(hit: Hit, heads: dict[str, PageHead], entries: dict[str, Entry], *, superseded: bool) -> bool:
    """True when the unit is still what the truth says: its page at this rev, or its entry with this text."""
    if hit.unit.type == "entry":
        entry = entries.get(hit.unit.parent)
        return entry is not None and hit.unit.rev // 4 == entry.rev and (superseded or entry.active)
    head = heads.get(hit.unit.parent)
    return head is not None and not head.deleted and head.rev == hit.unit.rev
