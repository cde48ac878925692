"""Evidence recall of recall: every turn is remembered, every question asked once at 10 and once at 50."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench.locomo import Dialogue, Question
from tests.system import System

FLOORS = {
    "turn_r10_c14": (0.85, 0.88),
    "turn_r5": (0.815, 0.85),
    "turn_r10": (0.875, 0.91),
    "turn_r25": (0.92, 0.95),
    "turn_r50": (0.945, 0.97),
    "session_any5": (0.955, 0.97),
    "session_any10": (0.98, 0.99),
    "turn_mrr": (0.68, 0.75),
}


@dataclass(frozen=True)
class Asked:
    """One question with its ranked turns (indexes; -1 is something that is no turn) and the time it took."""

    dialogue: str
    question: Question
    ranked: tuple[int, ...]
    seconds: float


def load(system: System, dialogue: Dialogue, space: str) -> list[str]:
    """Remember all turns of a dialogue; the entry id of each."""
    token = system.issue([space], ["read", "write"])
    ids: list[str] = []
    start = 0
    while start < len(dialogue.turns):
        first = dialogue.turns[start]
        # one call holds turns of one speaker and session: its circumstances are shared
        end = start + 1
        while end < len(dialogue.turns) and (dialogue.turns[end].session, dialogue.turns[end].speaker) == (
            first.session,
            first.speaker,
        ):
            end += 1
        body = {
            "content": [turn.text for turn in dialogue.turns[start:end]],
            "speaker": first.speaker,
            "session_id": f"s{first.session}",
            "at": first.at,
            "kind": "episodic",
        }
        reply = system.call("POST", "/v1/memory/remember", body, token=token, x_memory_space=space)
        assert reply.status == 200, reply.text
        ids += [entry["id"] for entry in reply.json["entries"]]
        start = end
    return ids


def ask(system: System, dialogue: Dialogue, space: str, ids: Sequence[str], **options: Any) -> list[Asked]:
    """Every question of a dialogue."""
    token = system.issue([space], ["read"])
    place: dict[str, int] = {}
    for index, entry in enumerate(ids):
        place.setdefault(entry, index)
    same = {index: place[entry] for index, entry in enumerate(ids)}
    asked = []
    for question in dialogue.questions:
        body = {"query": question.text, "limit": 50, **options}
        begun = time.perf_counter()
        reply = system.call("POST", "/v1/memory/recall", body, token=token, x_memory_space=space)
        took = time.perf_counter() - begun
        assert reply.status == 200, reply.text
        ranked: list[int] = []
        for result in reply.json["results"]:
            ranked += [place[entry] for entry in result["entries"] if entry in place] or [-1]
        evidence = tuple(dict.fromkeys(same[index] for index in question.evidence))
        once = tuple(dict.fromkeys(index for index in ranked if index >= 0))
        asked.append(Asked(dialogue.name, Question(question.text, question.category, evidence), once, took))
    return asked


def figures(asked: Sequence[Asked], sessions: dict[str, Sequence[int]]) -> dict[str, float]:
    """The figures of the protocol. `sessions` gives each dialogue's session of every turn."""

    def recall_at(rows: Sequence[Asked], k: int) -> float:
        shares = [len(set(r.ranked[:k]) & set(r.question.evidence)) / len(r.question.evidence) for r in rows]
        return sum(shares) / len(shares)

    def session_any(rows: Sequence[Asked], k: int) -> float:
        hits = 0
        for r in rows:
            of = sessions[r.dialogue]
            seen = list(dict.fromkeys(of[index] for index in r.ranked))[:k]
            hits += bool(set(seen) & {of[index] for index in r.question.evidence})
        return hits / len(rows)

    def reciprocal(r: Asked) -> float:
        ranks = [place for place, index in enumerate(r.ranked, 1) if index in r.question.evidence]
        return 1 / ranks[0] if ranks else 0.0

    plain = [r for r in asked if r.question.category != 5]
    found = {f"turn_r{k}": recall_at(asked, k) for k in (5, 10, 25, 50)}
    found["turn_r10_c14"] = recall_at(plain, 10)
    found |= {f"session_any{k}": session_any(asked, k) for k in (5, 10)}
    found["turn_mrr"] = sum(map(reciprocal, asked)) / len(asked)
    times = sorted(r.seconds for r in asked)
    found["recall_p50_ms"] = times[len(times) // 2] * 1000
    found["recall_p95_ms"] = times[int(len(times) * 0.95)] * 1000
    return {name: round(value, 4) for name, value in found.items()}


def by_category(asked: Sequence[Asked]) -> dict[str, float]:
    """Turn recall at 10 of each category."""
    table = {}
    for category in sorted({r.question.category for r in asked}):
        rows = [r for r in asked if r.question.category == category]
        shares = [len(set(r.ranked[:10]) & set(r.question.evidence)) / len(r.question.evidence) for r in rows]
        table[f"c{category}"] = round(sum(shares) / len(shares), 4)
    return table


def run(system: System, dialogues: Sequence[Dialogue]) -> tuple[dict[str, float], dict[str, Any]]:
    """Figures and detail over all dialogues."""
    asked: list[Asked] = []
    sessions: dict[str, Sequence[int]] = {}
    for number, dialogue in enumerate(dialogues):
        space = f"{system.space}-{number}"
        begun = time.perf_counter()
        ids = load(system, dialogue, space)
        system.pump(space)
        system.learn(space)
        stored = time.perf_counter() - begun
        rows = ask(system, dialogue, space, ids)
        asked += rows
        sessions[dialogue.name] = [turn.session for turn in dialogue.turns]
        sys.stderr.write(f"{dialogue.name}: {len(ids)} turns in {stored:.1f} s, {figures(rows, sessions)}\n")
    return figures(asked, sessions), {"by_category": by_category(asked), "questions": len(asked)}
