"""The life of one space in which functions die: it is told facts, consolidated, and at the end examined.

Calls of HTTP are made as actions: a handler is not meant for two threads, which no Lambda function has.
"""

import random
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any

from remembrancer.actions.ingest import ingest
from remembrancer.actions.inject import inject
from remembrancer.actions.remember import remember
from remembrancer.core.told import Circumstances
from remembrancer.errors import Conflict, PreconditionFailed, RemembrancerError, Throttled, Unavailable
from remembrancer.parts.turn import Turn
from tests.faults.kills import Ahead, Killed, Victim, ahead, victim
from tests.faults.proof import Findings, examine
from tests.system import System

TASKS = ("gate", "plan", "file", "settle", "views", "maintain", "release")
PASSING = (Throttled, Unavailable)
WEIGHTS = {"run": 12, "remember": 2, "ingest": 2, "index": 2}
ENDS = {"retry": 5, "error": 3, "abandon": 3}
ATTEMPTS = 6
ROUNDS = 12
LEASE_OVER_MS = 75_000


@dataclass
class Tally:
    """What all spaces share: how many died and where, and how many points each function had when it last lived."""

    kills: int = 0
    places: dict[str, int] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def died(self, function: str, place: str, end: str) -> None:
        """Count one death."""
        with self.lock:
            self.kills += 1
            for counts, key in ((self.places, f"{function} {place}"), (self.ends, end)):
                counts[key] = counts.get(key, 0) + 1

    def failed(self, error: RemembrancerError) -> None:
        """Count one failure that a function reported itself."""
        with self.lock:
            name = f"{type(error).__name__}: {error}" if "unexpected" in str(error) else type(error).__name__
            self.errors[name] = self.errors.get(name, 0) + 1


class Chapter:
    """One space. Everything random comes from its own generator."""

    def __init__(self, system: System, rng: random.Random, tally: Tally, kills: int) -> None:
        self.system, self.rng, self.tally = system, rng, tally
        self.left = kills
        self.told: set[str] = set()
        self.number = 0
        self.quiet = Event()
        self.time = Ahead()
        self.sleepers: list[tuple[Victim, Thread]] = []

    def play(self) -> Findings:
        """Kill, come to rest, examine."""
        ahead.set(self.time)
        other = self._thread(self._neighbour, random.Random(self.rng.random()))
        works = {"run": self._run, "remember": self._remember, "ingest": self._ingest, "index": self._index}
        try:
            while self.left > 0:
                work = self.rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
                self._tell(self.rng, self.rng.randint(1, 3))
                works[work]()
        finally:
            self.quiet.set()
            other.join()
            self._wake()
        self.time.ms += LEASE_OVER_MS
        for _ in range(ROUNDS):
            self._deliver()
            self._machine(None)
            if not self._waiting():
                break
        self._deliver()
        return examine(self.system.wiring, self.system.space, self.told)

    def _waiting(self) -> bool:
        head = self.system.wiring.spaces.head(self.system.space)
        pending = self.system.wiring.entries.pending(self.system.space, limit=1)
        return bool(pending) or head.last_run.get("status") not in ("progress", "no_progress")

    # ------------------------------------------------------------ what is told

    def _fact(self, rng: random.Random) -> str:
        self.number += 1
        n, topic = self.number, rng.randrange(5)
        kind = rng.random()
        if kind < 0.2:
            return f"The door of house {topic} opens with the key that Ada keeps on hook {rng.randrange(9)}."
        if kind < 0.4:
            # long for a page, short for the embedder, which takes such a word as one unknown token
            return f"Note {n} for the [[ledger]]: " + " ".join(f"{rng.getrandbits(800):0200x}" for _ in range(18))
        if kind < 0.9:
            return f"The [[topic {topic}]] has item {n} in {rng.choice(['red', 'green', 'blue'])}, size {n * 7}."
        return f"{rng.choice(['Mara', 'Ivo', 'Lena'])} bought thing {n * 13} in shop {n} on day {n * 3}."

    def _tell(self, rng: random.Random, count: int, one: Victim | None = None) -> None:
        facts, ports, space = [self._fact(rng) for _ in range(count)], self.system.wiring, self.system.space
        for _ in range(2):
            try:
                reply = self._as(one, lambda: remember(ports, space, facts, Circumstances()))
            except Killed as death:
                self._died("remember", str(death), "retry")
                one = None
                continue
            self.told |= {entry["id"] for entry in reply["entries"] if entry["id"]}
            return

    def _neighbour(self, rng: random.Random) -> None:
        ports, space = self.system.wiring, self.system.space
        while not self.quiet.wait(rng.uniform(0.2, 0.8)):
            what = rng.random()
            try:
                if what < 0.5:
                    self._tell(rng, 1)
                elif what < 0.8:
                    turn = Turn(f"n{rng.randrange(4)}", f"t{rng.randrange(10**9)}", "Which shop?", mode="full")
                    inject(ports, space, turn)
                else:
                    ingest(ports, space, _pages(rng), dry_run=False, overwrite=False)
            except RemembrancerError as error:
                self.tally.failed(error)

    # ------------------------------------------------------------ what dies

    def _remember(self) -> None:
        self._tell(self.rng, self.rng.randint(1, 4), self._victim("remember"))

    def _ingest(self) -> None:
        ports, space = self.system.wiring, self.system.space
        pages, one = _pages(self.rng), self._victim("ingest")
        try:
            self._as(one, lambda: ingest(ports, space, pages, dry_run=False, overwrite=False))
            self.tally.points["ingest"] = max(2, one.reached)
        except Conflict as busy:
            self.tally.failed(busy)
        except Killed as death:
            self._died("ingest", str(death), "abandon")
            # its lease runs for a minute
            self.time.ms += LEASE_OVER_MS

    def _index(self) -> None:
        try:
            self._as(self._victim("index"), self._deliver)
        except Killed as death:
            self._died("index", str(death), "retry")
            self._deliver()

    def _run(self) -> None:
        self._machine(self.rng.choice(TASKS))
        if self.sleepers and self.rng.random() < 0.6:
            self._wake()
        if self.rng.random() < 0.4:
            self._deliver()

    def _machine(self, dies: str | None) -> None:
        """One execution as the state machine does it; the first execution of the task `dies` is the victim."""
        run = self.system.wiring.clock.new_id()
        base = {"space": self.system.space, "run": run, "trigger": "manual"}
        try:
            if self._task("gate", base, dies)["decision"] != "run":
                return
            batches = self._task("plan", base, dies)["batches"]
            for batch in batches:
                self._task("file", {**base, **batch}, dies)
            for name in ("settle", "views", "maintain", "release"):
                self._task(name, base, dies)
        except RemembrancerError as error:
            self.tally.failed(error)
            self._attempt("release", {**base, "error": type(error).__name__}, None)
        except _Gone as gone:
            if gone.failed:
                self._attempt("release", {**base, "error": "States.TaskFailed"}, None)

    def _task(self, name: str, event: dict[str, Any], dies: str | None) -> Any:
        one = self._victim(name) if dies == name and self.left > 0 else None
        while True:
            try:
                return self._attempt(name, event, one)
            except Killed as death:
                end = self.rng.choices(list(ENDS), list(ENDS.values()))[0]
                self._died(name, str(death), end)
                if end != "retry":
                    raise _Gone(end == "error") from None
                one = self._victim(name) if self.rng.random() < 0.3 and self.left > 0 else None

    def _attempt(self, name: str, event: dict[str, Any], one: Victim | None) -> Any:
        """The task with the retries that the state machine has for it."""
        passing = (*PASSING, PreconditionFailed) if name in ("file", "views") else PASSING
        for attempt in range(ATTEMPTS):
            try:
                return (
                    self._sleeping(name, event, one)
                    if one is not None and one.sleeps
                    else self._live(name, event, one)
                )
            except passing as error:
                if attempt + 1 == ATTEMPTS:
                    raise
                self.tally.failed(error)
                time.sleep(0.02 * (attempt + 1))
                self._deliver()
        raise AssertionError("unreachable")

    def _live(self, name: str, event: dict[str, Any], one: Victim | None) -> Any:
        counted = one or Victim()
        result = self._as(counted, lambda: self.system.task(name, event))
        self.tally.points[name] = max(2, counted.reached)
        return result

    def _sleeping(self, name: str, event: dict[str, Any], one: Victim) -> Any:
        """A task that falls asleep in a call, and wakes when others have gone on long since."""
        result: list[Any] = []

        def work() -> None:
            try:
                result.append(self._as(one, lambda: self.system.task(name, event)))
            except RemembrancerError as error:
                self.tally.failed(error)
                result.append(error)
            finally:
                one.asleep.set()

        thread = self._thread(work)
        one.asleep.wait()
        if not one.place:
            thread.join()
            if isinstance(result[0], RemembrancerError):
                raise result[0]
            return result[0]
        self.sleepers.append((one, thread))
        self._died(name, one.place, "sleep")
        raise _Gone(failed=False)

    def _wake(self) -> None:
        for one, thread in self.sleepers:
            one.wake.set()
            thread.join()
        self.sleepers.clear()

    # ------------------------------------------------------------ helpers

    def _victim(self, function: str) -> Victim:
        at = self.rng.randint(1, self.tally.points.get(function, 8))
        return Victim(at, sleeps=function in TASKS and self.rng.random() < 0.15)

    def _died(self, function: str, place: str, end: str) -> None:
        self.left -= 1
        self.tally.died(function, place, end)

    def _as(self, one: Victim | None, work: Callable[[], Any]) -> Any:
        token = victim.set(one)
        try:
            return work()
        finally:
            victim.reset(token)

    def _deliver(self) -> None:
        try:
            self.system.pump()
        except (PreconditionFailed, *PASSING) as error:
            self.tally.failed(error)

    def _thread(self, work: Callable[..., None], *args: Any) -> Thread:
        thread = Thread(target=copy_context().run, args=(work, *args), daemon=True)
        thread.start()
        return thread


class _Gone(Exception):
    """The execution ends here; `failed`: its release is told so."""

    def __init__(self, failed: bool) -> None:
        super().__init__()
        self.failed = failed


def _pages(rng: random.Random) -> list[tuple[str, str]]:
    slugs = rng.sample([f"topic-{n}" for n in range(5)] + [f"guide/g{n}" for n in range(6)], 2)
    text = f"Written by hand, number {rng.randrange(10**6)}.\n\n## About\n\n- One line.\n- Another line.\n"
    return [(slug, text) for slug in slugs]
