"""Ours beside its peers in one run: the same turns, questions, embedder and machine, call by call in turn.

Peers are BM25 and cosine over the turns as said, the fusion of both, and mem0 without a language model.

A remember of ours stores a fact for good and answers; its embedding and its place in the index follow from the
table's stream. An add of mem0 embeds the text and writes vector and history before it answers. So there are two
figures: `remember_ratio_mem0` compares the calls, which is what a caller waits for, and
`remember_indexed_ratio_mem0` all the work until both can be searched, in batches as large as the stream's.

Times are held to bars where both use the same store, a node. With `sqlite` mem0 has its vectors in a folder and
ours still asks the emulated tables over HTTP, so the ratios of time are only shown.
"""

import time
from collections.abc import Iterable, Sequence
from typing import Any

from tests.bench.figures import Asked, quality
from tests.bench.locomo import Dialogue, Question, Turn
from tests.bench.peers.plain import Plain, said
from tests.bench.peers.rival import Mem0
from tests.bench.probe import Probe, attach
from tests.bench.report import Bar, p50
from tests.bench.retrieval import LIMIT, Known, load, say, sessions_of
from tests.bench.service import InProcess

KEYS = ("turn_r10_c14", "turn_r10", "session_any5", "turn_mrr")
RATIOS = (
    Bar("recall_p50_ratio_mem0", 1.0, 0.5, at_most=True),
    Bar("recall10_p50_ratio_mem0", 1.0, 0.5, at_most=True),
    Bar("remember_ratio_mem0", 3, 10),
)
FEW = 10
BATCH = 100
WARM = "warm-up"
WAITS = ("embedder", "search", "dynamodb")


def spaces(dialogues: int) -> int:
    """A space each for the questions and one for the single remembers, and one to warm up."""
    return 2 * dialogues + 1


def run(
    service: InProcess, dialogues: Sequence[Dialogue], rival: Mem0 | None, *, same_store: bool
) -> tuple[dict[str, float], list[Bar], dict[str, Any]]:
    """Figures of each system; the quality of ours is held to the best of its peers."""
    plain, probe = Plain(service.system.wiring), attach(service.system)
    writes, asks = Writes(service, rival), []
    writes.all(WARM, service.space(2 * len(dialogues)), dialogues[0].turns[:1], warm=True)
    for number, dialogue in enumerate(dialogues):
        writes.all(dialogue.name, service.space(len(dialogues) + number), dialogue.turns)
        known = load(service, dialogue, service.space(number))
        service.indexed(known.space, len(set(known.ids)))
        service.learn(known.space)
        plain.put(known.space, dialogue)
        asks.append(known)
        say(f"{dialogue.name}: {len(known.ids)} turns")
    reads = Reads(service, probe, plain, rival, writes.turns)
    for known in asks:
        reads.all(known)
        say(f"{known.dialogue.name}: {len(known.dialogue.questions)} questions")
    sessions = sessions_of(dialogues)
    figures: dict[str, float] = {}
    for system, rows in reads.asked.items():
        found = quality(rows, sessions)
        figures |= {f"{system}_{key}".removeprefix("ours_"): found[key] for key in KEYS}
    best = {key: max(figures[f"{peer}_{key}"] for peer in reads.asked if peer != "ours") for key in KEYS}
    bars = [Bar(key, value, value) for key, value in best.items()]
    figures |= reads.figures() | writes.figures()
    detail = {
        "questions": len(reads.asked["ours"]),
        "turns": len(writes.seconds["ours"]),
        "recall_waits_p50_ms": {kind: p50(each) for kind, each in reads.waits.items()},
    }
    return figures, [*bars, *(RATIOS if same_store else ())], detail


class Writes:
    """Single facts to both in turn, and what follows until both can find them."""

    def __init__(self, service: InProcess, rival: Mem0 | None) -> None:
        self._service, self._rival = service, rival
        self.turns: dict[str, int] = {}
        """The turn of every id of mem0."""
        self.seconds: dict[str, list[float]] = {"ours": [], "mem0": []}
        self.after: dict[str, float] = {"ours": 0.0, "mem0": 0.0}

    def all(self, user: str, space: str, turns: Sequence[Turn], *, warm: bool = False) -> None:
        """All turns; with `warm` their time does not count."""
        for start in range(0, len(turns), BATCH):
            ids: dict[str, None] = {}
            for place, turn in enumerate(turns[start : start + BATCH], start):
                ids[self._ours(space, turn)] = None
                if self._rival:
                    added = self._rival.add(user, said(turn))
                    self.turns |= dict.fromkeys(added.ids, place)
                    self.seconds["mem0"].append(added.seconds)
            begun = time.perf_counter()
            self._service.system.stream(list(ids), "BUFFER", space)
            self.after["ours"] += time.perf_counter() - begun
            self.after["mem0"] += self._rival.refresh().seconds if self._rival else 0.0
        if warm:
            self.seconds, self.after = {"ours": [], "mem0": []}, {"ours": 0.0, "mem0": 0.0}

    def _ours(self, space: str, turn: Turn) -> str:
        body = {
            "content": turn.text,
            "speaker": turn.speaker,
            "session_id": f"s{turn.session}",
            "at": turn.at,
            "kind": "episodic",
        }
        begun = time.perf_counter()
        entry: str = self._service.post(space, "remember", body)["entries"][0]["id"]
        self.seconds["ours"].append(time.perf_counter() - begun)
        return entry

    def figures(self) -> dict[str, float]:
        """Facts a second of both, and how many times as many ours are; the median of a call beside it."""
        calls = {name: len(each) / sum(each) for name, each in self.seconds.items() if each}
        whole = {name: len(each) / (sum(each) + self.after[name]) for name, each in self.seconds.items() if each}
        medians = {name: p50(each) for name, each in self.seconds.items() if each}
        return {
            **compared("remember_per_s", "remember_ratio_mem0", calls),
            **compared("remember_indexed_per_s", "remember_indexed_ratio_mem0", whole),
            **compared("remember_p50_ms", "remember_p50_ratio_mem0", medians),
        }


class Reads:
    """Every question to every system in turn, the first one changing; then again to ours and mem0 for a few."""

    def __init__(
        self, service: InProcess, probe: Probe, plain: Plain, rival: Mem0 | None, turns: dict[str, int]
    ) -> None:
        self._service, self._probe, self._plain, self._rival = service, probe, plain, rival
        self._turns = turns
        self.waits: dict[str, list[float]] = {kind: [] for kind in WAITS}
        """What a recall of ours waits for, by kind."""
        self.asked: dict[str, list[Asked]] = {}
        self.seconds: dict[str, dict[str, list[float]]] = {"recall": {}, "recall10": {}, "both_lanes": {}}

    def all(self, known: Known) -> None:
        """All questions of a dialogue."""
        for kind, limit in (("recall", LIMIT), ("recall10", FEW)):
            for number, question in enumerate(known.dialogue.questions):
                calls = [self._ours, *([self._mem0] if self._rival else [])]
                for call in calls if number % 2 else reversed(calls):
                    call(known, question, kind, limit)
                if kind == "recall":
                    self._peers(known, question)

    def _ours(self, known: Known, question: Question, kind: str, limit: int) -> None:
        self._probe.waits.clear()
        begun = time.perf_counter()
        reply = self._service.post(known.space, "recall", {"query": question.text, "limit": limit})
        self.seconds[kind].setdefault("ours", []).append(time.perf_counter() - begun)
        for wait, each in self.waits.items():
            each.append(self._probe.seconds(wait))
        place = known.place
        ranked = [place[entry] for result in reply["results"] for entry in result["entries"] if entry in place]
        if kind == "recall":
            self._note("ours", known, question, ranked)

    def _mem0(self, known: Known, question: Question, kind: str, limit: int) -> None:
        assert self._rival
        found = self._rival.search(known.dialogue.name, question.text, limit)
        self.seconds[kind].setdefault("mem0", []).append(found.seconds)
        if kind == "recall":
            self._note("mem0", known, question, (self._turns[one] for one in found.ids))

    def _peers(self, known: Known, question: Question) -> None:
        begun = time.perf_counter()
        found = self._plain.search(known.space, question.text)
        self.seconds["both_lanes"].setdefault("rrf60", []).append(time.perf_counter() - begun)
        for peer, ranked in found.items():
            self._note(peer, known, question, ranked[:LIMIT])

    def _note(self, system: str, known: Known, question: Question, ranked: Iterable[int]) -> None:
        """A repeated turn counts as its first one, once, for everybody."""
        place = known.place
        results = tuple((place[known.ids[turn]],) for turn in ranked)
        row = Asked(known.dialogue.name, known.question(question), results)
        self.asked.setdefault(system, []).append(row.distinct())

    def figures(self) -> dict[str, float]:
        """Medians, and the ratio of ours to mem0's."""
        found = {"rrf60_recall_p50_ms": p50(self.seconds["both_lanes"]["rrf60"])}
        for kind in ("recall", "recall10"):
            medians = {name: p50(each) for name, each in self.seconds[kind].items()}
            found |= compared(f"{kind}_p50_ms", f"{kind}_p50_ratio_mem0", medians)
        return found


def compared(figure: str, ratio: str, values: dict[str, float]) -> dict[str, float]:
    """A figure of ours, the same of mem0, and ours over mem0's; only ours when mem0 is absent."""
    found = {figure: round(values["ours"], 3)}
    if "mem0" in values:
        found |= {f"mem0_{figure}": round(values["mem0"], 3), ratio: round(values["ours"] / values["mem0"], 3)}
    return found
