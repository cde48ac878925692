"""A holder that sleeps in the middle of a task and wakes when the lease has gone leaves nothing behind."""

import random
from dataclasses import replace
from threading import Thread
from typing import Any

import pytest

from remembrancer.errors import LeaseLost, PreconditionFailed, RemembrancerError
from tests.faults.kills import Killed, Victim, armed, victim
from tests.faults.proof import examine
from tests.system import System

FACTS = [f"The [[topic {n % 3}]] has item {n} in colour {n * 7}." for n in range(6)]


@pytest.fixture
def system(tenant: System) -> Any:
    with armed(tenant.wiring):
        yield tenant.fresh_space()


def begun(system: System, *tasks: str) -> dict[str, Any]:
    event = {"space": system.space, "run": system.wiring.clock.new_id(), "trigger": "manual", "batch": 0}
    for task in tasks:
        system.task(task, event)
    return event


def asleep(system: System, task: str, event: dict[str, Any], place: str) -> tuple[Victim, Thread, list[Any]]:
    """The task, asleep at the first point of this name."""
    one, ended = _At(place), list[Any]()

    def work() -> None:
        victim.set(one)
        try:
            ended.append(system.task(task, event))
        except (LeaseLost, PreconditionFailed) as error:
            ended.append(error)
        finally:
            one.asleep.set()

    thread = Thread(target=work, daemon=True)
    thread.start()
    one.asleep.wait(20)
    assert not ended, "it never got there"
    return one, thread, ended


class _At(Victim):
    """Falls asleep at a named point."""

    def __init__(self, place: str) -> None:
        super().__init__(sleeps=True)
        self.wanted = place

    def reach(self, place: str) -> None:
        if place == self.wanted and not self.asleep.is_set():
            self.at = self.reached + 1
        super().reach(place)


@pytest.mark.parametrize("task", ["file", "settle", "views", "maintain", "release"])
def test_whoever_wakes_after_the_takeover_changes_nothing(system: System, task: str) -> None:
    told = {e["id"] for e in system.post("remember", {"content": FACTS})["entries"]}
    steps = ("gate", "plan", "file", "settle", "views", "maintain")
    event = begun(system, *steps[: steps.index(task)] if task in steps else steps)
    place = "before PutObject" if task in ("file", "views") else "before TransactWriteItems"
    one, thread, ended = asleep(system, task, event, place)
    told.add(system.post("remember", {"content": "Told while the run sleeps."})["entries"][0]["id"])
    assert system.consolidate()["status"] == "progress"
    head, run = system.wiring.spaces.head(system.space), event["run"]
    record = system.wiring.runs.get(system.space, run)
    one.wake.set()
    thread.join()
    assert isinstance(ended[0], RemembrancerError) or ended[0]["status"] == "lost"
    system.pump()
    assert system.wiring.spaces.head(system.space).last_run == head.last_run
    assert system.wiring.spaces.head(system.space).views == head.views
    assert system.wiring.runs.get(system.space, run) == record
    found = examine(system.wiring, system.space, told)
    assert (found.lost, found.doubled, found.torn) == ([], [], [])


def test_a_page_that_comes_too_late_is_put_back(system: System) -> None:
    system.post("remember", {"content": FACTS})
    old = begun(system, "gate")
    lease = system.wiring.leases.current(system.space)
    assert lease is not None and lease.owner == old["run"]
    system.consolidate()
    (head, *_), _ = system.wiring.catalogue.page(system.space, limit=10)
    name = f"concepts/{head.slug}.md"
    late = b"Written by a run that had lost its lease.\n"
    system.wiring.pages.write(system.space, name, late, etag=head.etag, rev=2, run="old", fence=lease.fence)
    system.wiring.pages.write(
        system.space, "concepts/new.md", late, etag=None, rev=1, run="old", fence=lease.fence
    )
    system.pump()
    now = system.wiring.pages.read(system.space, name)
    assert now is not None and now.etag == head.etag
    assert system.wiring.pages.read(system.space, "concepts/new.md") is None
    assert system.call("GET", "/v1/memory/pages/new").status == 404


def test_the_log_tells_a_stale_write_from_what_is_put_back_after_it(tenant: System) -> None:
    with armed(tenant.wiring) as log:
        system = tenant.fresh_space()
        space, wired = system.space, system.wiring
        system.post("remember", {"content": FACTS})
        system.consolidate()
        (head, *_), _ = wired.catalogue.page(space, limit=10)
        name, fence = f"concepts/{head.slug}.md", wired.leases.fence(space)
        wired.leases.take(space, "other", "ingest", seconds=60)
        wired.pages.write(space, name, b"Late.\n", etag=head.etag, rev=head.rev + 1, run=head.run, fence=fence)
        wired.leases.take(space, "next", "ingest", seconds=60, over="other")
        system.pump()
        (again, *_), _ = wired.catalogue.page(space, limit=10)
        assert (again.sha256, again.rev) == (head.sha256, head.rev) and again.version != head.version
        assert log.shared(space) == []
        stale = wired.pages.write(space, name, b"Stale.\n", etag=again.etag, rev=9, run=head.run, fence=fence)
        taken = replace(again, rev=again.rev + 1, etag=stale.etag, version=stale.version)
        wired.catalogue.put(space, taken, over=again)
        assert len(log.shared(space)) == 1


def test_a_page_that_breaks_off_while_it_is_split_loses_nothing(system: System) -> None:
    rng = random.Random(1)
    words = [[f"{rng.getrandbits(800):0200x}" for _ in range(20)] for _ in range(9)]
    facts = [f"Note {n} for the [[ledger]]: {' '.join(row)}" for n, row in enumerate(words)]
    told = {e["id"] for e in system.post("remember", {"content": facts[:4]})["entries"]}
    system.consolidate()
    told |= {e["id"] for e in system.post("remember", {"content": facts[4:]})["entries"]}
    for at in range(1, 60, 3):
        event = begun(system, "gate", "plan")
        token = victim.set(Victim(at))
        try:
            system.task("file", event)
            break
        except Killed:
            continue
        finally:
            victim.reset(token)
    assert system.consolidate()["status"] in ("progress", "empty")
    system.pump()
    assert system.get("memory/pages/ledger")["kind"] == "index"
    found = examine(system.wiring, system.space, told)
    assert (found.lost, found.doubled, found.torn) == ([], [], [])


def test_a_view_that_was_written_and_not_named_is_named_by_the_retry(system: System) -> None:
    system.post("remember", {"content": FACTS})
    event = begun(system, "gate", "plan", "file", "settle")
    for at in range(1, 40):
        token = victim.set(Victim(at))
        try:
            system.task("views", event)
            break
        except Killed:
            continue
        finally:
            victim.reset(token)
    views = system.wiring.spaces.head(system.space).views
    stored = system.wiring.pages.read(system.space, "views/essentials.md")
    assert stored is not None and views["essentials"] == stored.version


def test_a_gate_that_sleeps_before_its_lease_knows_who_died_meanwhile(system: System) -> None:
    told = {e["id"] for e in system.post("remember", {"content": FACTS})["entries"]}
    late = {"space": system.space, "run": system.wiring.clock.new_id(), "trigger": "manual"}
    one, thread, _ = asleep(system, "gate", late, "before UpdateItem")
    dead = begun(system, "gate", "plan", "file")
    system.task("release", {**dead, "error": "States.Timeout"})
    one.wake.set()
    thread.join()
    assert system.wiring.spaces.head(system.space).last_run["unfinished"] == [dead["run"]]
    system.consolidate()
    assert examine(system.wiring, system.space, told).lost == []


def test_a_run_with_an_empty_buffer_finishes_a_dead_one(system: System) -> None:
    system.post("remember", {"content": FACTS})
    dead = begun(system, "gate", "plan", "file", "settle")
    assert system.get("consolidation/status")["pending"]["entries"] == 0
    assert system.consolidate()["decision"] == "run"
    assert system.wiring.spaces.head(system.space).last_run["unfinished"] == []
    assert system.consolidate()["decision"] == "empty"
    assert system.wiring.spaces.head(system.space).views["essentials"], dead
