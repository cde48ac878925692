from typing import Any
from unittest.mock import patch

import pytest

from remembrancer.errors import Unavailable
from tests.system import System

USER = {"content": "Rachel takes oat milk.", "source": "user"}


def started(system: System) -> list[tuple[str, str]]:
    """(run, trigger) of what was started in this space."""
    return [(run, trigger) for space, run, trigger in system.started if space == system.space]


def status(system: System) -> dict[str, Any]:
    found: dict[str, Any] = system.get("consolidation/status")
    return found


def run_now(system: System) -> dict[str, Any]:
    reply = system.call("POST", "/v1/consolidation/run-now", {})
    assert reply.status == 200
    found: dict[str, Any] = reply.json
    return found


def test_run_now_says_at_once_that_nothing_waits(system: System) -> None:
    assert run_now(system) == {"ran": False, "run": None, "reason": "empty"}
    assert started(system) == []
    system.post("remember", {"content": "Bins go out on Monday."})
    told = run_now(system)
    assert (told["ran"], told["reason"]) == (True, "manual")
    assert started(system) == [(told["run"], "manual")]
    system.task("gate", {"space": system.space, "run": told["run"], "trigger": "manual"})
    assert run_now(system) == {"ran": False, "run": told["run"], "reason": "active"}


def test_status_follows_a_run_from_nothing_to_filed(system: System) -> None:
    first = status(system)
    assert (first["active"], first["progress"], first["filed_through"]) == (None, 100, None)
    assert first["maintenance"] is None
    assert first["gate"] == {"interval_ms": 28_800_000, "min_lines": 10, "max_lines": 100, "cap": 150}
    system.post("remember", {"content": "Bins go out on Monday."})
    assert status(system)["progress"] == 0
    run = str(run_now(system)["run"])
    base = {"space": system.space, "run": run, "trigger": "manual"}
    seen = []
    for task in ("gate", "plan", "settle", "views", "maintain"):
        if task == "settle":
            system.task("file", {**base, "batch": 0})
        system.task(task, base)
        told = status(system)
        assert told["active"] == {"run": run, "phase": task}
        seen.append(told["progress"])
    assert seen == sorted(seen)
    assert seen[0] != 0
    system.task("release", base)
    last = status(system)
    assert (last["active"], last["progress"]) == (None, 100)
    assert last["last_productive_at"] is not None
    assert str(last["filed_through"]) < str(last["last_productive_at"])[:10]
    system.task("maintain", {"space": system.space, "run": "01MAINTAIN", "trigger": "upkeep"})
    kept = status(system)["maintenance"]
    assert (kept["drift"], kept["unembedded"], kept["failed"]) == (0, 0, {})
    assert kept["lint"]["counts"]["contradictions"] == 0


def test_the_events_of_a_run_embed_nothing_a_second_time(system: System) -> None:
    system.post("remember", {"content": ["Bins go out on Monday.", "The boiler was serviced in May."]})
    system.pump()
    waiting = [entry.id for entry in system.wiring.entries.pending(system.space, limit=5)]
    system.consolidate()
    with patch.object(system.wiring.embedder, "embed") as embed:
        system.stream(waiting)
        system.pump()
    assert embed.call_count == 0
    pages = system.get("memory/pages")["items"]
    assert pages and all(page["indexed"] for page in pages)


def test_a_fact_of_a_person_starts_a_run(system: System) -> None:
    system.post("remember", {**USER, "source": "agent:1"})
    assert started(system) == []
    system.post("remember", USER)
    assert started(system) == []  # a duplicate is no news
    system.post("remember", {**USER, "content": "Nadia drinks tea."})
    ((run, trigger),) = started(system)
    assert trigger == "nudge"
    system.task("gate", {"space": system.space, "run": run, "trigger": trigger})
    system.post("remember", {**USER, "content": "Priya drinks water."})
    assert len(started(system)) == 1


def test_a_nudge_waits_for_the_end_of_a_backoff(system: System) -> None:
    later = system.wiring.clock.now_ms() + 60_000
    system.wiring.spaces.update(system.space, {"backoff": {"failures": 1, "kind": "transient", "until_ms": later}})
    system.post("remember", USER)
    assert started(system) == []


@pytest.mark.parametrize("error", [Unavailable("down"), OSError("broken")])
def test_a_nudge_that_fails_never_fails_the_save(system: System, error: Exception) -> None:
    with patch.object(system.wiring.events, "start_run", side_effect=error):
        told = system.post("remember", USER)
    assert told["entries"][0]["status"] == "stored"


def test_the_hourly_check_measures_the_oldest_fact_that_waits(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    system.post("remember", {"content": "Bins go out on Monday."})
    system.pump()
    capsys.readouterr()
    later = system.wiring.clock.now_ms() + 20 * 3_600_000
    with patch.object(system.wiring.clock, "now_ms", return_value=later):
        told = system.task("due", {"trigger": "interval"})
    assert told["overdue"] >= 1
    assert told["oldest_s"] >= 20 * 3_600
    assert f'"spaces.overdue":[{told["overdue"]:.1f}]' in capsys.readouterr().out


def test_upkeep_starts_in_every_space_with_or_without_pending_facts(system: System) -> None:
    system.post("remember", {"content": "Bins go out on Monday."})
    system.pump()
    system.consolidate()
    system.pump()
    system.wiring.spaces.note(system.space, pending=0, lines=0, now_ms=1)
    system.task("due", {"trigger": "upkeep"})
    assert [trigger for _, trigger in started(system)] == ["upkeep"]
