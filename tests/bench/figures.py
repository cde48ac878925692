"""Figures of answered questions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.bench.locomo import Question
from tests.bench.report import Bar

BARS = (
    Bar("turn_r10_c14", 0.85, 0.88),
    Bar("turn_r5", 0.815, 0.85),
    Bar("turn_r10", 0.875, 0.91),
    Bar("turn_r25", 0.92, 0.95),
    Bar("turn_r50", 0.945, 0.97),
    Bar("session_any5", 0.955, 0.97),
    Bar("session_any10", 0.98, 0.99),
    Bar("turn_mrr", 0.68, 0.75),
)
ADVERSARIAL = 5


@dataclass(frozen=True)
class Asked:
    """One question and its results, best first: each the indexes of the turns that it stands for, maybe none."""

    dialogue: str
    question: Question
    results: tuple[tuple[int, ...], ...]

    def recall(self, k: int) -> float:
        """The share of the evidence that the first k results stand for."""
        found = {turn for result in self.results[:k] for turn in result}
        return len(found.intersection(self.question.evidence)) / len(self.question.evidence)

    def reciprocal(self) -> float:
        """1 over the rank of the first result with evidence, 0 without one."""
        evidence = set(self.question.evidence)
        return next((1 / rank for rank, turns in enumerate(self.results, 1) if evidence.intersection(turns)), 0.0)

    def in_sessions(self, sessions: Sequence[int], k: int) -> bool:
        """True when one of the first k different sessions of the results holds evidence."""
        seen = list(dict.fromkeys(sessions[turn] for result in self.results for turn in result))[:k]
        return bool(set(seen).intersection(sessions[turn] for turn in self.question.evidence))

    def distinct(self) -> "Asked":
        """The same with every turn once, at its best place."""
        turns = dict.fromkeys(turn for result in self.results for turn in result)
        return Asked(self.dialogue, self.question, tuple((turn,) for turn in turns))


def quality(asked: Sequence[Asked], sessions: Mapping[str, Sequence[int]]) -> dict[str, float]:
    """All figures of the protocol. `sessions` gives the session of every turn of a dialogue."""
    plain = [one for one in asked if one.question.category != ADVERSARIAL] or asked
    found = {f"turn_r{k}": _mean([one.recall(k) for one in asked]) for k in (5, 10, 25, 50)}
    found["turn_r10_c14"] = _mean([one.recall(10) for one in plain])
    for k in (5, 10):
        found[f"session_any{k}"] = _mean([one.in_sessions(sessions[one.dialogue], k) for one in asked])
    found["turn_mrr"] = _mean([one.reciprocal() for one in asked])
    return found


def by_category(asked: Sequence[Asked]) -> dict[str, dict[str, float]]:
    """Number of questions, recall and reciprocal rank of each category."""
    table = {}
    for category in sorted({one.question.category for one in asked}):
        rows = [one for one in asked if one.question.category == category]
        table[f"c{category}"] = {
            "questions": len(rows),
            **{f"turn_r{k}": _mean([one.recall(k) for one in rows]) for k in (5, 10, 25, 50)},
            "turn_mrr": _mean([one.reciprocal() for one in rows]),
        }
    return table


def ndcg(ranked: Sequence[str], gains: Mapping[str, int], k: int = 10) -> float:
    """Discounted gain of the first k over the best possible."""
    got = sum(gains.get(one, 0) / math.log2(place + 2) for place, one in enumerate(ranked[:k]))
    best = sum(gain / math.log2(place + 2) for place, gain in enumerate(sorted(gains.values(), reverse=True)[:k]))
    return got / best if best else 0.0


def recall_at(ranked: Sequence[str], gains: Mapping[str, int], k: int = 10) -> float:
    """The share of the relevant ones among the first k."""
    relevant = {one for one, gain in gains.items() if gain > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)
