"""Time and memory of a consolidation run by the number of active entries, each size in a space of its own.

Every measured run takes 150 new facts: some are new, some repeat or change what is filed. The entries before them
are put into the table as an earlier run would have left them, without passages in the index: what search costs as
it grows is measured by `scale`. Nor are they in the index by change, and their digest is made beside them: a query
of an index reads only its range in DynamoDB, but all of the partition on the emulator, which does not answer in
time at 100,000. Reading everything anew is therefore measured at the smallest size only. Vectors come from a
seeded generator, so that the model's time hides nothing; `rules_scale` leaves out the writing of pages.
"""

import random
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from remembrancer.adapters.dynamodb.layout import counts_key, filed_key, guard_key, to_item
from remembrancer.core.entries import Entry
from remembrancer.parts import digest
from tests.bench.probe import Probe, attach
from tests.bench.report import Bar
from tests.bench.retrieval import say
from tests.bench.scale import Generated
from tests.system import System

SIZES = (10_000, 100_000)
NEW = 150
RUNS = 3
BARS = (
    Bar("consolidation_scale", 3.0, 1.5, at_most=True),
    Bar("seconds_100k", 60.0, 20.0, at_most=True),
    Bar("peak_mb", 1024.0, 512.0, at_most=True),
)
DAY_MS = 86_400_000
RULES = ("plan", "settle", "views", "maintain")
STEPS = ("gate", "plan", "file", "settle", "views", "maintain", "release")

_PEOPLE = "Rachel Nadia Priya Tomas Ingrid Yusuf Keiko Liam Amara Jonas Petra Samir".split()  # noqa: SIM905
_FRAMES = (
    "{person} {verb} the {thing} {place} {when}",
    "The {thing} of {person} is {quality} and stands {place}",
    "{person} told us that the {quality} {thing} {verb2} {when}",
    "User wants the {thing} to be {quality} {place}",
    "To {verb3} the {thing}, open the {thing2} first, then wait {number} minutes {place}",
    "{when} {person} and {person2} {verb} a {quality} {thing}, but not the {thing2}",
)
_VERBS = "moved bought sold repaired painted lent borrowed cleaned ordered returned".split()  # noqa: SIM905
_PLACES = "in the office|at home|near the station|by the window|in the cellar|at school|on the second floor|abroad"
_WHEN = "on Monday|last week|in March|every evening|before the trip|after lunch|in the winter|at noon"


class Facts:
    """Made sentences whose words are as unevenly frequent as those of a language; each has words of its own."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        made = random.Random(7)
        parts = "ba co di fu ga hel ji kor lam mi nor pe qui rat sol ti ven wes yar zu".split()  # noqa: SIM905
        self.words = ["".join(made.choice(parts) for _ in range(made.randint(2, 4))) for _ in range(12_000)]

    def _word(self) -> str:
        return self.words[int(len(self.words) ** self.chance.random()) - 1]

    def one(self) -> str:
        """One fact."""
        pick = self.chance.choice
        told = {
            "person": pick(_PEOPLE),
            "person2": pick(_PEOPLE),
            "verb": pick(_VERBS),
            "verb2": pick(_VERBS),
            "verb3": self._word(),
            "thing": f"{self._word()} {self._word()}",
            "thing2": self._word(),
            "quality": f"{self._word()} {self._word()}",
            "place": pick(_PLACES.split("|")),
            "when": pick(_WHEN.split("|")),
            "number": self.chance.randint(2, 90),
        }
        text = pick(_FRAMES).format(**told)
        while self.chance.random() < 0.25:
            text += f". The {self._word()} {pick(_VERBS)} {self._word()} {pick(_PLACES.split('|'))}"
        return text


def _filed(system: System, facts: Facts, size: int, now_ms: int) -> Iterator[Entry]:
    for number in range(size):
        at = now_ms - number % 700 * DAY_MS
        yield Entry(
            id=system.wiring.clock.new_id(),
            text=facts.one(),
            kind=facts.chance.choices(("semantic", "episodic", "procedural"), (6, 3, 1))[0],
            at_ms=at,
            remembered_ms=at,
            last_confirmed_ms=at,
            importance=facts.chance.choice((None, None, 0.3, 0.6, 0.8)),
            filed_by="earlier",
            filed_to=(f"notes/made/{number % 400}",),
        )


def _fill(system: System, size: int) -> list[str]:
    """File made entries and put them into the digest; their texts."""
    made = digest.load(system.wiring, system.space)
    table: Any = system.wiring._memory.table
    now, facts = system.wiring.clock.now_ms(), Facts(size)
    texts: list[str] = []
    writes: list[dict[str, Any]] = []
    counts: dict[str, int] = {}
    for entry in _filed(system, facts, size, now):
        guard = guard_key(system.space, entry)
        writes.append(table.put(to_item(filed_key(system.space, entry.id), entry)))
        if entry.text not in texts[-1:]:
            writes.append(table.put({"pk": guard[0], "sk": guard[1], "entry": entry.id}))
        counts[entry.kind] = counts.get(entry.kind, 0) + 1
        texts.append(entry.text)
        made.take(entry)
        if len(writes) >= 24:
            _batch(table, writes)
            writes = []
    _batch(table, writes)
    adds = ", ".join(f"#{kind} :{kind}" for kind in counts)
    table.write(table.update(counts_key(system.space), f"ADD {adds}", **counts))
    digest.save(system.wiring, system.space, made)
    return texts


def _batch(table: Any, writes: Sequence[dict[str, Any]]) -> None:
    once = {(w["Put"]["Item"]["pk"]["S"], w["Put"]["Item"]["sk"]["S"]): {"Item": w["Put"]["Item"]} for w in writes}
    if once:
        table.client.batch_write_item(RequestItems={table.name: [{"PutRequest": put} for put in once.values()]})


def _new(facts: Facts, known: Sequence[str]) -> list[str]:
    """Facts of a day: every tenth says what is filed in other letters, every tenth changes a word of it."""
    found = []
    for number in range(NEW):
        text = facts.chance.choice(known) if number % 5 == 0 else facts.one()
        if number % 10 == 0:
            text = text.rsplit(" ", 1)[0] + " " + facts.one().split()[-1]
        elif number % 5 == 0:
            text += "!"
        found.append(text)
    return found


def _run(system: System, probe: Probe) -> dict[str, float]:
    """Seconds of every step of one run, whole and (`_own`) without the waits for backends and the model."""
    run = system.wiring.clock.new_id()
    base = {"space": system.space, "run": run, "trigger": "manual"}
    took: dict[str, float] = {}

    def step(name: str, event: dict[str, Any]) -> Any:
        probe.waits.clear()
        begun = time.perf_counter()
        reply = system.task(name, event)
        whole = time.perf_counter() - begun
        took[name] = took.get(name, 0.0) + whole
        took[f"{name}_own"] = took.get(f"{name}_own", 0.0) + whole - probe.seconds()
        return reply

    step("gate", base)
    planned = step("plan", base)
    for batch in planned["batches"]:
        step("file", {**base, **batch})
    for name in ("settle", "views", "maintain"):
        step(name, base)
    if step("release", base)["status"] != "progress":
        raise RuntimeError("the run made no progress")
    return took


def run(system: System, sizes: Sequence[int]) -> tuple[dict[str, float], dict[str, Any]]:
    """Medians over some runs at each size, and the ratio of the largest to the smallest."""
    system.wiring.__dict__["embedder"] = Generated("generated 1")
    probe = attach(system)
    rebuilt, steps, whole = 0.0, {}, {}
    for size in sizes:
        begun = time.perf_counter()
        system = system.fresh_space()
        known = _fill(system, size)
        say(f"{size} filed entries after {time.perf_counter() - begun:.1f} s")
        if size == min(sizes):
            begun = time.perf_counter()
            system.wiring.pages.delete(system.space, digest.NAME)
            digest.load(system.wiring, system.space)
            rebuilt = time.perf_counter() - begun
        facts, runs = Facts(-size), []
        for number in range(RUNS + 1):
            texts = _new(facts, known)
            for start in range(0, NEW, 50):
                system.post("remember", {"content": texts[start : start + 50]})
            took = _run(system, probe)
            say(f"run {number}: " + ", ".join(f"{s} {took[s]:.2f}" for s in STEPS if s in took))
            runs += [took] if number else []
        steps[size] = {name: round(_median([took[name] for took in runs]), 3) for name in runs[0]}
        whole[size] = _median([sum(took[s] for s in STEPS if s in took) for took in runs])
    small, large = min(sizes), max(sizes)
    rules = {size: sum(found[step] for step in RULES) for size, found in steps.items()}
    figures = {
        "consolidation_scale": round(whole[large] / whole[small], 3),
        "rules_scale": round(rules[large] / rules[small], 3),
        "peak_mb": round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024), 1
        ),
        **{f"seconds_{size // 1000}k": round(seconds, 3) for size, seconds in whole.items()},
        f"rebuild_seconds_{small // 1000}k": round(rebuilt, 3),
    }
    return figures, {"steps": {str(size): found for size, found in steps.items()}, "runs": RUNS, "new": NEW}


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
