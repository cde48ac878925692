"""A run may take away a fifth of a space's passages, twenty in any case, and never all that a person wrote."""

from collections.abc import Iterator
from typing import Any

import pytest

from remembrancer.core.schedule import may_remove
from remembrancer.errors import DeletionBudget
from remembrancer.steps import metrics
from tests.system import System

FACTS = [
    f"Rule {n:02} of the [[house]] says that door {n:02} stays shut at night and in winter" for n in range(40)
]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, float]]:
    """The last value of each metric."""
    values: dict[str, float] = {}
    add = metrics.add_metric

    def noted(name: str, unit: str, value: float) -> None:
        values[name] = value
        add(name, unit, value)

    monkeypatch.setattr(metrics, "add_metric", noted)
    yield values


def changed(system: System, count: int) -> list[str]:
    """So many facts with one more word each: each supersedes the one before."""
    facts = [f"{fact} too" for fact in FACTS[:count]]
    return [entry["id"] for entry in system.post("remember", {"content": facts})["entries"]]


def pages(system: System) -> dict[str, bytes]:
    found = {}
    for name in system.wiring.pages.names(system.space, "concepts/"):
        stored = system.wiring.pages.read(system.space, name)
        assert stored is not None
        found[name] = stored.body
    return found


def run(system: System) -> tuple[dict[str, Any], Any]:
    """A run until its file tasks fail; then released as the state machine does it."""
    base = {"space": system.space, "run": system.wiring.clock.new_id(), "trigger": "manual"}
    system.task("gate", base)
    planned = system.task("plan", base)
    with pytest.raises(DeletionBudget):
        for batch in planned["batches"]:
            system.task("file", {**base, **batch})
    return base, system.task("release", {**base, "error": "DeletionBudget"})


def test_the_budget_is_a_fifth_and_never_below_twenty() -> None:
    assert may_remove(20, 0) and not may_remove(21, 0)
    assert may_remove(40, 200) and not may_remove(41, 204)


def test_a_day_on_which_twenty_facts_change_is_within_the_budget(system: System) -> None:
    system.post("remember", {"content": FACTS})
    system.consolidate()
    new = changed(system, 20)
    assert system.consolidate()["status"] == "progress"
    assert {system.get(f"memory/entries/{i}")["status"] for i in new} == {"active"}


def test_a_run_over_its_budget_leaves_everything_as_it_was(system: System, counted: dict[str, float]) -> None:
    system.post("remember", {"content": FACTS})
    system.consolidate()
    assert counted["run.deletion_budget"] == 0
    before = pages(system)
    new = changed(system, 30)
    base, ended = run(system)
    assert ended == {"status": "failed", "error": "deletion_budget"}
    assert pages(system) == before
    assert {system.get(f"memory/entries/{i}")["status"] for i in new} == {"pending"}
    record = system.get(f"consolidation/runs/{base['run']}")["run"]
    assert (record["status"], record["error_kind"]) == ("failed", "deletion_budget")
    assert system.get("consolidation/status")["backoff"]["kind"] == "deletion_budget"
    assert counted["run.deletion_budget"] == 1


def test_pages_that_other_batches_wrote_are_put_back(system: System) -> None:
    facts = [f"Rule {n:02} of the [[wing {n // 15}]] says that door {n:02} stays shut at night" for n in range(45)]
    system.post("remember", {"content": facts})
    system.consolidate()
    system.pump()
    before = pages(system)
    system.post("remember", {"content": [f"{fact} too" for fact in facts]})
    base, ended = run(system)
    assert ended["error"] == "deletion_budget"
    written = system.wiring.pages.names(system.space, f"runs/{base['run']}/filed-")
    assert written, "one batch was within the budget"
    assert pages(system) == before
    system.pump()
    heads = system.get("memory/pages")["items"]
    assert heads and all(head["indexed"] for head in heads)


def test_a_page_of_a_person_is_not_emptied(system: System) -> None:
    fact = "The key of the shed hangs on the third hook by the door"
    old = system.post("remember", {"content": fact, "at": "2025-01-10T10:00:00Z"})["entries"][0]["id"]
    system.consolidate()
    slug = "notes/semantic/2025-01"
    # somebody makes the page theirs and keeps nothing but the line
    theirs = f"---\ntitle: Keys\n---\n- {fact} ^{old}\n"
    assert system.call("PUT", f"/v1/memory/pages/{slug}", {"markdown": theirs}).status == 200
    before = pages(system)
    system.wiring.index.drop_space(system.space)  # or the new fact would go to the same page
    new = system.post("remember", {"content": f"{fact} now"})["entries"][0]["id"]
    assert run(system)[1]["error"] == "deletion_budget"
    assert pages(system) == before
    assert system.get(f"memory/entries/{new}")["status"] == "pending"
    assert system.get(f"memory/entries/{old}")["status"] == "active"
