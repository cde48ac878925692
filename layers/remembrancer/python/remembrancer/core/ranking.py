"""The score of retrieval: one fixed formula over the candidates of all lanes."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from remembrancer.core.dated import date_signals
from remembrancer.core.english import FUNCTION_FORMS, base_form
from remembrancer.core.fusion import fuse, standard_scale
from remembrancer.core.query import Analysis
from remembrancer.core.records import record
from remembrancer.core.units import Hit


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of every term. In brackets: what recall@10 loses without it, measured on dialogues.

    `group` (.012): the best base score in the same page or session, the unit's own included.
    `date` (.016): how well the unit fits the dates of the question.
    `date_inject` takes its place in injection, where messages name dates in passing.
    `asked` (.003): the question is for a time and the unit names one, or for a place and the unit names something.
    `specific` (.005): the unit names a time or something.
    `entity` (.013): the unit's speaker or entity is the one that is named, or is another.
    `context` (.012): cosine of the unit with its neighbours' text.
    `length` (.004): ln(1 + words).
    `question` (.004): the unit ends in a question; subtracted.
    All stand on a plateau: half as much or half as much again costs .005 at most.
    """

    group: float = 0.55
    date: float = 1.0
    date_inject: float = 0.5
    asked: float = 0.25
    specific: float = 0.1
    entity: float = 0.1
    context: float = 0.1
    length: float = 0.1
    question: float = 0.15


WEIGHTS = Weights()


@record(frozen=True, slots=True)
class Ranked:
    """One hit with its score, the sum of `parts`: each term as it was added."""

    hit: Hit
    score: float
    parts: Mapping[str, float]


def rank(
    hits: Sequence[Hit],
    analysis: Analysis,
    *,
    weights: Weights = WEIGHTS,
    lexical: str = "bm25",
    purpose: str = "recall",
) -> list[Ranked]:
    """All hits, best first; ties go to the fresher, then to the smaller id.

    `lexical` names the lane whose scores are the words' half. Without it, or without cosines, that half is 0.
    `purpose` is recall or inject.
    """
    base = fuse([hit.scores.get(lexical) for hit in hits], [hit.cosine for hit in hits])
    best: dict[str, float] = {}
    for hit, score in zip(hits, base, strict=True):
        best[hit.unit.group] = max(best.get(hit.unit.group, 0.0), score)
    dates = date_signals(hits, analysis.spans, analysis.zone)
    around = standard_scale([hit.ctx_cosine for hit in hits])
    entities = entity_signals(hits, analysis.entities, analysis.everywhere)
    date_weight = weights.date_inject if purpose == "inject" else weights.date
    ranked = []
    for place, hit in enumerate(hits):
        unit = hit.unit
        named = bool(_telling(hit, analysis.everywhere))
        asked = (analysis.asks_when and unit.timed) + (analysis.asks_where and named)
        parts = {
            "base": base[place],
            "group": weights.group * best[unit.group],
            "date": date_weight * dates[place],
            "asked": weights.asked * asked,
            "specific": weights.specific * (unit.timed or named),
            "entity": weights.entity * entities[place],
            "context": weights.context * around[place],
            "length": weights.length * math.log1p(unit.words),
            "question": -weights.question * unit.question,
        }
        ranked.append(Ranked(hit, math.fsum(parts.values()), parts))
    return sorted(ranked, key=_order)


def _order(ranked: Ranked) -> tuple[float, float, str]:
    fresh = ranked.hit.unit.fresh_ms
    return -ranked.score, math.inf if fresh is None else -fresh, ranked.hit.id


def _telling(hit: Hit, everywhere: Collection[str]) -> tuple[str, ...]:
    """The names in the unit that are not everywhere in the space."""
    return tuple(name for name in hit.unit.names if name.casefold() not in everywhere)


def entity_signals(
    hits: Sequence[Hit], named: Sequence[str], everywhere: Collection[str] = frozenset()
) -> list[int]:
    """1 for hits of the one known entity that the message names, -1 for hits of others, 0 without just one.

    A unit's entity is its speaker or its page's; without one it is every name in it that tells. An entity is named
    by its whole name, or by a word of it when no entity is named in full.
    """
    said = {word for name in named for word in _words(name)}
    of = [hit.unit.entities or _telling(hit, everywhere) for hit in hits]
    known = {entity: _words(entity) for entities in of for entity in entities}
    whole = {entity for entity, words in known.items() if words and words <= said}
    meant = whole or {entity for entity, words in known.items() if words & said}
    if len({entity.casefold() for entity in meant}) != 1:
        return [0] * len(hits)
    return [_sign(entities, meant) for entities in of]


def _sign(entities: Sequence[str], meant: set[str]) -> int:
    if not entities:
        return 0
    return 1 if meant.intersection(entities) else -1


def _words(name: str) -> frozenset[str]:
    words = name.replace("/", " ").replace("-", " ").casefold().split()
    return frozenset(word for word in words if base_form(word) not in FUNCTION_FORMS)
