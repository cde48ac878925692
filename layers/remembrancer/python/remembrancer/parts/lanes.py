"""What may be injected in one turn: all lanes together, behind the gate, best first."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from remembrancer.core.catalogue import Neighbour, PageHead, SpaceHead
from remembrancer.core.choice import Candidate
from remembrancer.core.gate import Verdict, gate, thresholds_for
from remembrancer.core.lanes import CAPS, EXEMPT, Caps, caps_for, merge, neighbours
from remembrancer.core.memory import Injected
from remembrancer.core.ranking import rank
from remembrancer.core.selection import Option, deterministic
from remembrancer.core.sessions import Pick
from remembrancer.core.units import Hit
from remembrancer.errors import RemembrancerError
from remembrancer.parts.asking import REPLY, listed_pages
from remembrancer.parts.leads import leads
from remembrancer.parts.linked import linked_hits
from remembrancer.parts.retrieve import Filter, Retrieved
from remembrancer.ports import Ports

AUTHORED_WEIGHT = 10.0
WEAKER = 0.5
"""What a hit of the previous reply, or a neighbour of a match, counts of a match's score."""


@dataclass(frozen=True, slots=True)
class Offered:
    """Candidates in the order in which they are to be tried, the gate's verdict, and what was done without."""

    candidates: tuple[Candidate, ...]
    gate: Verdict
    degraded: tuple[str, ...] = ()


def offer(
    ports: Ports,
    space: str,
    head: SpaceHead,
    found: Retrieved,
    *,
    pages: Sequence[str] = (),
    bypass_for_core: bool = False,
) -> Offered:
    """Candidates of all lanes of what `retrieve(…, around=True, linked=pages)` found.

    A closed gate leaves what belongs to `pages`, and the core when it is bypassed. Never raises for a backend:
    what fails is named, and a gate that cannot judge is open.
    """
    verdict = judge(ports, found)
    lists = _listed(head, found, linked_hits(found, pages, Filter()) if pages else [])
    core = lists.pop("core")
    if not verdict.open:
        return Offered((*core * bypass_for_core, *lists["view"][: CAPS.view]), verdict, found.degraded)
    caps = caps_for(len(listed_pages(head)))
    match = [Candidate(one.hit.unit, "match", one.score) for one in found.ranked]
    lanes: dict[str, Sequence[Candidate]] = {"core": core, **lists, "match": match}
    lanes["reply"] = _reply(found)
    scores = {one.hit.id: one.score for one in found.ranked}
    lanes["entity"] = [
        Candidate(hit.unit, "entity", scores.get(hit.id, 0.0)) for hit in found.lanes.get("entity", ())
    ]
    degraded = found.degraded
    try:
        lanes |= _near(ports, space, found, caps)
    except RemembrancerError:
        degraded = (*degraded, "edges")
    merged = merge(lanes, caps)
    first = [candidate for candidate in merged if candidate.lane == "core"]
    rest = [candidate for candidate in merged if candidate.lane != "core"]
    return Offered((*first, *_ordered(rest, found)), verdict, degraded)


def note(units: Iterable[Injected]) -> tuple[Pick, ...]:
    """What `Sessions.record` is given as `picks`: the units that the turn chose, sent or resident, with lanes."""
    return tuple(Pick(unit.id, unit.lane) for unit in units)


def judge(ports: Ports, found: Retrieved) -> Verdict:
    """Whether the hits are a signal. What cannot be judged opens the gate."""
    if "index" in found.degraded:
        return Verdict(True, "index_unavailable")
    try:
        thresholds = thresholds_for(ports.index.identity)
    except RemembrancerError:
        return Verdict(True, "gate_error")
    hits = [one.hit for one in found.ranked]
    return gate(
        [hit.cosine for hit in hits if hit.cosine is not None],
        [hit.scores["bm25"] for hit in hits if "bm25" in hit.scores],
        thresholds,
        dense_available={"embedder", "knn"}.isdisjoint(found.degraded),
    )


def _listed(head: SpaceHead, found: Retrieved, linked: Sequence[Hit]) -> dict[str, list[Candidate]]:
    """Core, hot and fresh: the lead of each live page in its list's order. View: what is linked, best first."""
    hits = {hit.unit.parent: hit for hit in found.lanes.get("lists", ())}
    scores = {one.hit.id: one.score for one in found.ranked}
    if others := {hit.id: hit for hit in (*hits.values(), *linked) if hit.id not in scores}:
        # on one scale with what matched
        every = [*(one.hit for one in found.ranked), *others.values()]
        scores = {one.hit.id: one.score for one in rank(every, found.analysis, purpose="inject")} | scores
    lists = {
        lane: [
            Candidate(hits[slug].unit, lane, scores[hits[slug].id])
            for slug in head.lanes.get(lane, ())
            if slug in hits
        ]
        for lane in ("core", "hot", "fresh")
    }
    best = sorted(linked, key=lambda hit: (-scores[hit.id], hit.id))
    return {**lists, "view": [Candidate(hit.unit, "view", scores[hit.id]) for hit in best]}


def _reply(found: Retrieved) -> list[Candidate]:
    """Hits of the previous reply by their own scores: a second, weaker query."""
    words, near = (found.lanes.get(name, ()) for name in REPLY)
    hits = {hit.id: replace(hit, cosine=hit.scores.get(REPLY[1])) for hit in (*words, *near)}
    ranked = rank(list(hits.values()), found.analysis, lexical=REPLY[0], purpose="inject")
    return [Candidate(one.hit.unit, "reply", WEAKER * one.score) for one in ranked]


def _near(ports: Ports, space: str, found: Retrieved, caps: Caps) -> dict[str, Sequence[Candidate]]:
    """Edge and learned: leads of the pages next to the first matched ones."""
    matched = [one for one in found.ranked if one.hit.unit.type != "entry"]
    seeds = list(dict.fromkeys(one.hit.unit.parent for one in matched))[: caps.seeds]
    heads = found.heads
    edges = {slug: _edges(heads[slug]) for slug in seeds}
    degrees = {slug: heads[slug].in_degree for slug in seeds}
    shown = {hit.unit.parent for hit in found.lanes.get("lists", ())}
    authored = neighbours(seeds, edges, degrees, caps=caps, exclude=shown)
    seen = shown | {slug for slug, _ in authored}
    learned = neighbours(seeds, edges, degrees, learned=True, caps=caps, exclude=seen) if caps.learned else []
    units = leads(ports, space, [slug for slug, _ in (*authored, *learned)])
    weakest = min((one.score for one in matched[: caps.seeds]), default=0.0)
    score = WEAKER * weakest if weakest > 0 else weakest
    return {
        lane: [Candidate(units[slug], lane, score) for slug, _ in slugs if slug in units]
        for lane, slugs in (("edge", authored), ("learned", learned))
    }


def _edges(head: PageHead) -> list[Neighbour]:
    links = [Neighbour(slug, "link", AUTHORED_WEIGHT) for slug in head.links]
    return [*links, *head.neighbours]


def _ordered(candidates: Sequence[Candidate], found: Retrieved) -> list[Candidate]:
    """By the deterministic selector; the block itself keeps to the budget."""
    known: dict[str, Candidate] = {}
    options: list[Option] = []
    for candidate in candidates:
        unit = candidate.unit
        key = f"{unit.type}\n{unit.parent}\n{unit.ordinal}"
        known[key] = candidate
        page = "" if unit.type == "entry" or candidate.lane in EXEMPT else unit.parent
        behind = found.entries.get(unit.parent) if unit.type == "entry" else found.heads.get(unit.parent)
        importance = behind.importance if behind is not None and behind.importance is not None else 0.5
        score = candidate.score if math.isfinite(candidate.score) else 0.0
        options.append(Option(key, score, importance, page=page, section=unit.section, text=unit.shown))
    return [known[option.id] for option in deterministic(options, 0)]
