"""A run that dies between two steps leaves every entry either pending or filed, and the next run finishes."""

from collections import Counter
from dataclasses import replace

import pytest

from remembrancer.errors import Conflict, LeaseLost, PreconditionFailed
from tests.system import System

STEPS = ("gate", "plan", "file", "settle", "views", "maintain")
FACTS = [
    "Tea is at four.",
    "Bins go out on Monday.",
    "The [[boiler]] is serviced in October.",
    "Ada moved to Leeds.",
]


def start(system: System, until: str, run: str = "") -> str:
    """The first tasks of a run, up to and with `until`; then its machine is gone."""
    run = run or system.wiring.clock.new_id()
    base = {"space": system.space, "run": run, "trigger": "manual"}
    for step in STEPS[: STEPS.index(until) + 1]:
        if step == "file":
            plan = system.task("plan", base)
            for batch in plan["batches"]:
                system.task("file", {**base, **batch})
        else:
            system.task(step, base)
    return run


def citations(system: System) -> Counter[str]:
    """How many bullets cite each entry, over all pages."""
    found: Counter[str] = Counter()
    for item in system.get("memory/pages")["items"]:
        text = system.call("GET", f"/v1/memory/pages/{item['slug']}?format=markdown").text
        for line in text.splitlines():
            if line.startswith("- "):
                found.update(part[1:] for part in line.split() if part.startswith("^"))
    return found


@pytest.mark.parametrize("died_after", STEPS)
def test_the_next_run_finishes_what_a_dead_one_began(system: System, died_after: str) -> None:
    ids = [e["id"] for e in system.post("remember", {"content": FACTS})["entries"]]
    start(system, died_after)
    later = system.post("remember", {"content": "Added after the crash."})["entries"][0]["id"]
    again = system.consolidate()
    assert again["status"] in ("progress", "no_progress"), again
    assert citations(system) == Counter([*ids, later])
    items = system.get("memory/entries?status=all&limit=100")["items"]
    assert sorted(item["id"] for item in items) == sorted([*ids, later])
    assert {item["status"] for item in items} == {"active"}
    assert system.get("memory/stats")["entries"]["pending"] == 0


def test_two_dead_runs_in_a_row_double_nothing(system: System) -> None:
    ids = [e["id"] for e in system.post("remember", {"content": FACTS})["entries"]]
    start(system, "file")
    start(system, "gate")
    start(system, "plan")
    assert system.consolidate()["status"] == "progress"
    assert citations(system) == Counter(ids)


def test_a_task_that_runs_twice_does_nothing_the_second_time(system: System) -> None:
    ids = [e["id"] for e in system.post("remember", {"content": FACTS})["entries"]]
    run = start(system, "settle")
    base = {"space": system.space, "run": run, "trigger": "manual"}
    before = {i["slug"]: i["sha256"] for i in system.get("memory/pages")["items"]}
    system.task("file", {**base, "batch": 0})
    system.task("settle", base)
    assert {i["slug"]: i["sha256"] for i in system.get("memory/pages")["items"]} == before
    assert citations(system) == Counter(ids)
    assert system.task("release", base)["status"] == "progress"


def test_a_holder_that_wakes_after_its_lease_was_taken_writes_nothing(system: System) -> None:
    system.post("remember", {"content": FACTS})
    run = start(system, "plan")
    base = {"space": system.space, "run": run, "trigger": "manual"}
    assert system.consolidate()["status"] == "progress"
    pages = {i["slug"]: i["etag"] for i in system.get("memory/pages")["items"]}
    for task in ("file", "settle", "views", "maintain"):
        with pytest.raises(LeaseLost):
            system.task(task, {**base, "batch": 0})
    assert system.task("release", base) == {"status": "lost", "error": None}
    assert {i["slug"]: i["etag"] for i in system.get("memory/pages")["items"]} == pages


def test_a_run_takes_only_its_snapshot(system: System) -> None:
    early = system.post("remember", {"content": FACTS[:2]})["entries"]
    run = start(system, "plan")
    late = system.post("remember", {"content": FACTS[2:]})["entries"]
    base = {"space": system.space, "run": run, "trigger": "manual"}
    for task in ("file", "settle", "views", "maintain", "release"):
        system.task(task, {**base, "batch": 0})
    waiting = [item["id"] for item in system.get("memory/entries?status=pending")["items"]]
    assert sorted(waiting) == sorted(entry["id"] for entry in late)
    assert all(system.get(f"memory/entries/{entry['id']}")["status"] == "active" for entry in early)


def test_ingest_and_a_run_exclude_each_other(system: System) -> None:
    system.post("remember", {"content": FACTS[0]})
    start(system, "gate")
    reply = system.call("POST", "/v1/memory/ingest", {"pages": [{"slug": "a", "content": "Text."}]})
    assert (reply.status, reply.json["error"]["code"]) == (409, "conflict")
    assert "consolidation" in reply.json["error"]["message"]
    dry = system.post("ingest", {"pages": [{"slug": "a", "content": "Text."}], "dry_run": True})
    assert dry["written"] == 1
    with pytest.raises(Conflict):
        system.wiring.leases.take(system.space, "somebody", "ingest", seconds=60)


def test_a_page_that_somebody_edited_meanwhile_is_not_overwritten(system: System) -> None:
    system.call("PUT", "/v1/memory/pages/boiler", {"body": "The boiler is old."})
    head = system.wiring.catalogue.head(system.space, "boiler")
    assert head is not None
    system.wiring.pages.write(system.space, "concepts/boiler.md", b"Edited by hand.\n", etag=head.etag)
    stale = system.call("PUT", "/v1/memory/pages/boiler", {"body": "Overwritten."}, if_match=head.etag)
    assert stale.status == 412
    with pytest.raises(PreconditionFailed):
        system.wiring.catalogue.put(system.space, replace(head, rev=9), over=replace(head, rev=7))
    system.pump()
    assert system.get("memory/pages/boiler")["body"] == "Edited by hand.\n"
    assert system.post("recall", {"query": "edited by hand"})["results"][0]["slug"] == "boiler"


def test_a_burst_beyond_the_cap_is_filed_by_two_runs_and_asks_for_one(system: System) -> None:
    ids = []
    for kind in ("semantic", "procedural"):
        facts = [f"[[shelf {n % 4}]] {kind} {n * n * 7919} {n:x}{n + 5}" for n in range(80)]
        told = system.post("remember", {"content": facts, "kind": kind, "at": "2026-03-01T10:00:00Z"})
        ids += [entry["id"] for entry in told["entries"]]
        system.pump()
    asked = [lines for space, lines in system.full if space == system.space]
    assert asked == [160]
    first = system.consolidate(trigger="size")
    waiting = system.wiring.entries.pending(system.space, limit=200)
    assert first["status"] == "progress"
    assert [entry.id for entry in waiting] == sorted(ids)[150:]
    system.pump()
    assert system.consolidate(trigger="size")["reason"] == "below_size"
    assert system.consolidate()["status"] == "progress"
    assert system.wiring.entries.pending(system.space, limit=1) == []
    assert [lines for space, lines in system.full if space == system.space] == asked
