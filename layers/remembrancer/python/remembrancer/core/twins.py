"""One fact, one candidate: an entry that a page cites is found twice, as itself and as the page's passage."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from remembrancer.core.units import Hit

LINES = "lines"
"""The lane of the words that rules filed."""
WORDS = "bm25"


def backed(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without filed lines whose entry is not among them: by what they say they are no better than it."""
    found = {hit.unit.parent for hit in hits if hit.unit.type == "entry"}
    return [hit for hit in hits if not hit.unit.filed or found.issuperset(hit.unit.entries)]


def fold(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without entries that a passage among them cites; such a passage stands for them.

    A passage of one entry is shown as the page has it and ranked as the entry: by its scores, session, speaker,
    time and neighbours. A passage of several keeps its own context and takes the best scores. When two passages
    cite the same one entry, the first of them stays. What the lane of filed lines found has that lane's score for
    its words.
    """
    entries = {hit.unit.parent: hit for hit in hits if hit.unit.type == "entry"}
    cited = {entry for hit in hits if hit.unit.type == "passage" for entry in hit.unit.entries}
    seen: set[str] = set()
    folded: list[Hit] = []
    for hit in map(_worded, hits):
        unit = hit.unit
        if unit.type == "entry" and unit.parent in cited:
            continue
        if unit.type == "passage" and len(unit.entries) == 1:
            if unit.entries[0] in seen:
                continue
            seen.add(unit.entries[0])
        behind = [entries[entry] for entry in unit.entries if entry in entries] if unit.type == "passage" else []
        folded.append(_joined(hit, behind) if behind else hit)
    return folded


def best(hits: Sequence[Hit], lanes: Collection[str], size: int) -> list[Hit]:
    """The hits that are among the `size` highest of one of these lanes, in their order."""
    kept: set[str] = set()
    for lane in lanes:
        found = sorted((hit for hit in hits if lane in hit.scores), key=lambda hit: (-hit.scores[lane], hit.id))
        kept.update(hit.id for hit in found[:size])
    return [hit for hit in hits if hit.id in kept]


def _worded(hit: Hit) -> Hit:
    if LINES not in hit.scores:
        return hit
    scores = dict(hit.scores)
    return replace(hit, scores={WORDS: scores.pop(LINES), **scores})


def _joined(passage: Hit, behind: Sequence[Hit]) -> Hit:
    if len(passage.unit.entries) > 1:
        every = (passage, *behind)
        lanes = dict.fromkeys(lane for one in every for lane in one.scores)
        scores = {lane: max(one.scores[lane] for one in every if lane in one.scores) for lane in lanes}
        cosines = [one.cosine for one in every if one.cosine is not None]
        return replace(passage, scores=scores, cosine=max(cosines, default=None))
    [entry] = behind
    unit = replace(
        passage.unit,
        group=entry.unit.group,
        kind=entry.unit.kind,
        entities=entry.unit.entities,
        names=entry.unit.names,
        at_ms=entry.unit.at_ms,
        words=entry.unit.words,
        question=entry.unit.question,
        timed=entry.unit.timed,
        mentions=entry.unit.mentions,
    )
    return Hit(passage.id, unit, entry.scores, entry.cosine, entry.ctx_cosine)
