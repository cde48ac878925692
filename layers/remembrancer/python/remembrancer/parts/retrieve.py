"""Find units: one request to the index, then the hits that count are held against the truth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from remembrancer.core.catalogue import PageHead, SpaceHead
from remembrancer.core.entries import Entry
from remembrancer.core.query import Analysis, analyse
from remembrancer.core.ranking import Ranked, rank
from remembrancer.core.twins import backed, best, fold
from remembrancer.core.units import Hit
from remembrancer.errors import RemembrancerError
from remembrancer.parts.asking import FOUND, MAIN, Asked, ask
from remembrancer.parts.truth import Truth
from remembrancer.ports import Ports, Search

SIZE = {"recall": 150, "inject": 100}
"""Candidates of each main lane, by purpose. 100 instead of 150 lose .002 of recall@10 on dialogues."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Ranked live units, the catalogue heads and entries behind them, and what had to be done without.

    The heads have their sections when whole pages were asked for.
    `lanes` has the live hits of the lanes beside the main ones, by name, each in the order of its lane.
    """

    ranked: tuple[Ranked, ...]
    heads: dict[str, PageHead]
    entries: dict[str, Entry]
    degraded: tuple[str, ...]
    analysis: Analysis
    lanes: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)


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
    most: int = 100,
    previous_reply: str = "",
    around: bool = False,
    linked: Sequence[str] = (),
) -> Retrieved:
    """At least `most` live units if there are that many, in one request to the index and one to the table.

    `around` adds the lanes of injection: reply (of `previous_reply`), entity, and the first passages of the pages
    in the space's lists. `linked` adds the passages of these pages and the entries that may link to them. Stale,
    deleted, superseded and forgotten hits are dropped. A failing embedder or index is named in `degraded`.
    """
    analysis = analyse(
        message, ubiquitous=head.ubiquitous, common=head.common, years=head.years, now_ms=now_ms, zone=zone
    )
    asked = ask(ports, head, analysis, previous_reply, size=SIZE[purpose], around=around, linked=linked)
    hits, degraded = _search(ports, space, wanted, asked, timeout_s)
    main = [hit for hit in hits if not hit.scores.keys().isdisjoint(FOUND)]
    if "entry" in wanted.types and not degraded:
        # a line keeps its place when its entry was found and turns out to be out of date
        main = backed(main)
    beside = [hit for hit in hits if any(lane not in FOUND for lane in hit.scores)]
    truth = Truth(ports, space, head.frame, superseded=wanted.superseded, sections="page" in wanted.types)
    also = [entry for hit in beside if "linked" in hit.scores for entry in hit.unit.entries]
    ranked = _ranked(main, analysis, purpose)
    reading = truth.some((r.hit for r in ranked), most)
    truth.read([*beside, *reading], also)
    while True:
        there = [hit for hit in main if not truth.gone(hit)]
        if len(there) < len(main):
            # what is gone must not bend the scale of what is there, nor stand for the entries that it cited
            ranked = _ranked(there, analysis, purpose)
        live = tuple(r for r in ranked if truth.alive(r.hit))
        if len(live) >= most or not (reading := truth.some((r.hit for r in ranked), most)):
            break
        truth.read(reading)
    lanes = {
        lane.name: tuple(h for h in beside if lane.name in h.scores and truth.alive(h))
        for lane in asked.lanes
        if lane.name not in FOUND
    }
    return Retrieved(live, truth.heads, truth.entries, (*asked.degraded, *degraded), analysis, lanes)


def _ranked(hits: Sequence[Hit], analysis: Analysis, purpose: str) -> list[Ranked]:
    return rank(best(fold(hits), MAIN, SIZE[purpose]), analysis, purpose=purpose)


def _search(
    ports: Ports, space: str, wanted: Filter, asked: Asked, timeout_s: float
) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    if not asked.lanes:
        return (), ()
    search = Search(
        space,
        asked.lanes,
        vector=asked.vector,
        types=wanted.types,
        kinds=wanted.kinds,
        parents=wanted.parents,
        after_ms=wanted.after_ms,
        before_ms=wanted.before_ms,
        superseded=wanted.superseded,
        timeout_s=timeout_s,
    )
    try:
        found = ports.index.search(search)
    except RemembrancerError:
        return (), ("index",)
    return found.hits, found.degraded
