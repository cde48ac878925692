"""Stamps are seen all at once: not before the frame of their run is committed."""

from typing import Any

import pytest

from remembrancer.core.entries import Entry
from remembrancer.parts import heads
from tests.faults.kills import Killed, Victim, armed, victim
from tests.system import System

OLD = "The gate code of the yard is 4411 and Ada knows it by heart since spring."
NEW = "The gate code of the yard is 4411 and Ada knows it by heart since spring now."


def base(system: System) -> dict[str, Any]:
    return {"space": system.space, "run": system.wiring.clock.new_id(), "trigger": "manual", "batch": 0}


def found(system: System) -> set[str]:
    heads._kept.clear()
    results = system.post("recall", {"query": "gate code of the yard", "what": "entries"})["results"]
    return {result["text"] for result in results}


def entry(system: System, id: str) -> Entry:
    return system.wiring.entries.get(system.space, [id])[id]


def until_stamped(system: System) -> tuple[dict[str, Any], str]:
    """A run that dies when it has stamped the old fact and nothing else; its event, and the id of that fact."""
    old = system.post("remember", {"content": OLD})["entries"][0]["id"]
    system.pump()
    system.consolidate()
    system.post("remember", {"content": NEW})
    system.pump()
    assert found(system) == {OLD, NEW}
    event = base(system)
    for task in ("gate", "plan", "file"):
        system.task(task, event)
    for at in range(1, 40):
        token = victim.set(Victim(at))
        try:
            with pytest.raises(Killed):
                system.task("settle", event)
        finally:
            victim.reset(token)
        if not entry(system, old).active:
            return event, old
    raise AssertionError("settle stamped nothing")


@pytest.fixture
def system(tenant: System) -> Any:
    with armed(tenant.wiring):
        yield tenant.fresh_space()


def test_a_stamp_of_an_open_frame_is_not_seen(system: System) -> None:
    _, old = until_stamped(system)
    assert found(system) == {OLD, NEW}
    shown = system.get(f"memory/entries/{old}")
    assert (shown["status"], shown["superseded"]) == ("active", None)
    assert system.get("memory/entries?status=all")["items"][0]["status"] != "superseded"


def test_a_retry_resumes_and_then_all_is_seen(system: System) -> None:
    event, old = until_stamped(system)
    system.task("settle", event)
    assert found(system) == {NEW}
    assert system.get(f"memory/entries/{old}")["status"] == "superseded"
    record = system.get(f"consolidation/runs/{event['run']}")["run"]
    assert record["frame"] == {"id": event["run"], "stamps": 1, "state": "committed"}


def test_the_next_run_commits_the_frame_of_a_dead_one(system: System) -> None:
    event, old = until_stamped(system)
    assert system.consolidate()["status"] in ("progress", "no_progress")
    assert found(system) == {NEW}
    assert system.get(f"memory/entries/{old}")["status"] == "superseded"
    assert system.get(f"consolidation/runs/{event['run']}")["run"]["frame"]["state"] == "committed"
