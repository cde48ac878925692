"""Evidence recall: every turn is remembered, every question asked once; before consolidation and after it."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from remembrancer.core.stamps import resolve
from tests.bench.figures import BARS, Asked, by_category, quality
from tests.bench.locomo import Dialogue, Question
from tests.bench.report import Bar, p50, p95
from tests.bench.service import Service

LIMIT = 50
Watch = Callable[[str, Dialogue, Question, "Known", float], None]
"""Told of every question asked before consolidation, right after its reply, with its seconds."""


@dataclass(frozen=True)
class Known:
    """A dialogue in its space: the entry id of every turn. A repeated turn has the id of the first one."""

    dialogue: Dialogue
    space: str
    ids: tuple[str, ...]

    @property
    def place(self) -> dict[str, int]:
        """The first turn of every entry."""
        return {entry: index for index, entry in reversed(list(enumerate(self.ids)))}

    def question(self, question: Question) -> Question:
        """The question with its evidence as first turns."""
        place = self.place
        evidence = tuple(dict.fromkeys(place[self.ids[index]] for index in question.evidence))
        return Question(question.text, question.category, evidence)


def load(service: Service, dialogue: Dialogue, space: str) -> Known:
    """Remember all turns; one call holds turns of one speaker in a row, so order and circumstances are kept."""
    ids: list[str] = []
    for (session, speaker), turns in groupby(dialogue.turns, key=lambda turn: (turn.session, turn.speaker)):
        said = list(turns)
        body = {
            "content": [turn.text for turn in said],
            "speaker": speaker,
            "session_id": f"s{session}",
            "at": said[0].at,
            "kind": "episodic",
        }
        ids += [entry["id"] for entry in service.post(space, "remember", body)["entries"]]
    return Known(dialogue, space, tuple(ids))


def ask(
    service: Service, known: Known, more: dict[str, Any], watch: Watch | None = None
) -> tuple[list[Asked], list[float]]:
    """Every question of a dialogue, and the seconds of each."""
    place = known.place
    asked, times = [], []
    for question in known.dialogue.questions:
        begun = time.perf_counter()
        reply = service.post(known.space, "recall", {"query": question.text, "limit": LIMIT, **more})
        times.append(time.perf_counter() - begun)
        results = tuple(
            tuple(place[entry] for entry in result["entries"] if entry in place) for result in reply["results"]
        )
        asked.append(Asked(known.dialogue.name, known.question(question), results))
        if watch:
            watch(known.space, known.dialogue, question, known, times[-1])
    return asked, times


def run(
    service: Service, dialogues: Sequence[Dialogue], watch: Watch | None = None, *, after: bool = True
) -> tuple[dict[str, float], list[Bar], dict[str, Any]]:
    """Figures, bars and detail over all dialogues, which are all there before the first question.

    With `after` the questions are asked again when all has been consolidated.
    """
    held = []
    for number, dialogue in enumerate(dialogues):
        begun = time.perf_counter()
        known = load(service, dialogue, service.space(number))
        service.indexed(known.space, len(set(known.ids)))
        service.learn(known.space)
        held.append(known)
        say(f"{dialogue.name}: {len(known.ids)} turns in {time.perf_counter() - begun:.1f} s")
    sessions = sessions_of(dialogues)
    before, times = _all(service, held, service.own, watch, "before")
    figures = {**quality(before, sessions), "recall_p50_ms": p50(times), "recall_p95_ms": p95(times)}
    detail: dict[str, Any] = {"questions": len(before), "by_category": by_category(before)}
    say(f"all before: {figures}")
    return _after(service, held, figures, detail, sessions) if after else (figures, list(BARS), detail)


def _after(
    service: Service,
    held: Sequence[Known],
    figures: dict[str, float],
    detail: dict[str, Any],
    sessions: dict[str, Sequence[int]],
) -> tuple[dict[str, float], list[Bar], dict[str, Any]]:
    """The figures again after consolidation; none may be lower than before.

    A turn that gave way to another in the same or nearly the same words is found when that one is.
    """
    runs = 0
    for known in held:
        begun = time.perf_counter()
        runs += (made := service.consolidate(known.space))
        say(f"{known.dialogue.name}: {made} runs in {time.perf_counter() - begun:.1f} s")
    later = [replace(known, ids=_standing(service, known)) for known in held]
    rows, _ = _all(service, later, {}, None, "consolidated")
    bars = [*BARS, *(Bar(f"{bar.figure}_consolidated", figures[bar.figure], figures[bar.figure]) for bar in BARS)]
    detail = {
        **detail,
        "by_category_consolidated": by_category(rows),
        "consolidated_each_turn_once": quality([one.distinct() for one in rows], sessions),
        "runs": runs,
    }
    again = {f"{name}_consolidated": value for name, value in quality(rows, sessions).items()}
    return {**figures, **again}, bars, detail


def _standing(service: Service, known: Known) -> tuple[str, ...]:
    """The entry id of every turn after consolidation: of two that say the same, the one that stands."""
    by: dict[str, str] = {}
    cursor = ""
    while True:
        found = service.get(known.space, f"/v1/memory/entries?status=superseded&limit=100&cursor={cursor}")
        by |= {entry["id"]: entry["superseded"]["by"] for entry in found["items"]}
        cursor = found["cursor"]
        if not cursor:
            break
    return tuple(resolve(by, entry) for entry in known.ids)


def _all(
    service: Service, held: Sequence[Known], more: dict[str, Any], watch: Watch | None, name: str
) -> tuple[list[Asked], list[float]]:
    asked: list[Asked] = []
    times: list[float] = []
    for known in held:
        rows, seconds = ask(service, known, more, watch)
        asked, times = asked + rows, times + seconds
        sessions = sessions_of([known.dialogue])
        say(f"{known.dialogue.name} {name}: {quality(rows, sessions)}, p50 {p50(seconds)} ms")
    return asked, times


def sessions_of(dialogues: Sequence[Dialogue]) -> dict[str, Sequence[int]]:
    """The session of every turn, by dialogue."""
    return {dialogue.name: [turn.session for turn in dialogue.turns] for dialogue in dialogues}


def say(line: str) -> None:
    """Progress, on standard error."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
