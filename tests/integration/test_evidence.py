"""Where lines come from, why facts gave way, and how that is taken back."""

import re
from typing import Any

import pytest

from tests.system import System

SERVER = "The staging server is restarted by the night job every Sunday"


def remember(system: System, text: str, **more: Any) -> str:
    return str(system.post("remember", {"content": text, **more})["entries"][0]["id"])


def entry(system: System, entry_id: str) -> Any:
    return system.get(f"memory/entries/{entry_id}")


def body(system: System, slug: str) -> str:
    return str(system.get(f"memory/pages/{slug}")["body"])


def superseded(system: System) -> tuple[str, str, str]:
    """(loser, winner, run) of one near pair on one page."""
    old = remember(system, f"{SERVER}. [[server]]", session_id="s1", source="session:s1")
    system.consolidate()
    new = remember(system, f"{SERVER} morning. [[server]]")
    return old, new, system.consolidate()["run"]


def test_a_superseded_entry_names_its_winner_rule_score_and_run(system: System) -> None:
    old, new, run = superseded(system)
    found = entry(system, old)
    assert found["status"] == "superseded"
    why = found["superseded"]
    assert (why["by"], why["rule"], why["threshold"], why["norm_v"], why["run"]) == (new, "near", 0.82, 1, run)
    assert 0.82 <= why["score"] < 1
    assert found["filed_by"] != run
    assert f"^{old}" not in body(system, "server") and f"^{new}" in body(system, "server")
    assert entry(system, new)["superseded"] is None


def test_recall_shows_superseded_entries_with_their_winner_when_asked(system: System) -> None:
    old = remember(system, f"{SERVER}.")
    system.pump()
    remember(system, f"{SERVER} morning.")
    system.pump()
    system.consolidate()
    ask = {"query": "staging server restart", "what": "entries"}
    assert old not in [one["id"] for one in system.post("recall", ask)["results"]]
    found = system.post("recall", {**ask, "include_superseded": True})["results"]
    (gone,) = [one for one in found if one["id"] == old]
    assert gone["superseded"]["rule"] == "near"
    system.call("POST", f"/v1/memory/entries/{old}/restore", {})
    system.pump()
    assert old in [one["id"] for one in system.post("recall", ask)["results"]]


def test_a_restored_entry_waits_goes_back_to_its_page_and_is_left_alone(system: System) -> None:
    old, new, _ = superseded(system)
    back = system.call("POST", f"/v1/memory/entries/{old}/restore", {})
    assert back.status == 200, back.text
    assert (back.json["status"], back.json["pinned"], back.json["superseded"]) == ("pending", True, None)
    assert entry(system, new)["pinned"] is True
    assert system.get("memory/entries?status=superseded")["items"] == []
    assert system.consolidate()["status"] == "progress"
    remember(system, "Something else. [[server]]")
    system.consolidate()
    assert entry(system, old)["status"] == entry(system, new)["status"] == "active"
    assert entry(system, old)["filed_to"] == ["server"]
    assert f"^{old}" in body(system, "server") and f"^{new}" in body(system, "server")


def test_a_merged_entry_can_be_restored_beside_its_equal(system: System) -> None:
    old, new, _ = superseded(system)
    again = remember(system, f"{SERVER}. [[server]]")  # true again: it takes the place of the newer one
    system.consolidate()
    assert entry(system, new)["superseded"]["by"] == again
    assert system.call("POST", f"/v1/memory/entries/{old}/restore", {}).status == 200
    system.consolidate()
    assert [entry(system, one)["status"] for one in (old, new, again)] == ["active", "superseded", "active"]


def test_restoring_is_safe_to_repeat_and_refused_for_what_is_not_there(system: System) -> None:
    old, new, _ = superseded(system)
    for _ in range(2):
        assert system.call("POST", f"/v1/memory/entries/{old}/restore", {}).json["status"] == "pending"
    before = entry(system, new)
    assert system.call("POST", f"/v1/memory/entries/{new}/restore", {}).json == before
    assert system.call("POST", "/v1/memory/entries/01K1AAAAAAAAAAAAAAAAAAAAAA/restore", {}).status == 404


def test_restoring_needs_the_right_to_write_and_waits_for_a_run(system: System) -> None:
    old, _, _ = superseded(system)
    reader = system.issue([system.space], ["read"])
    assert system.call("POST", f"/v1/memory/entries/{old}/restore", {}, token=reader).status == 403
    lease = system.wiring.leases.take(system.space, "run-1", "consolidation", seconds=60)
    assert system.call("POST", f"/v1/memory/entries/{old}/restore", {}).status == 409
    system.wiring.leases.release(lease)
    assert entry(system, old)["status"] == "superseded"


def test_equal_texts_of_two_kinds_stay_stand_on_one_page_and_name_each_other(system: System) -> None:
    fact = remember(system, "Water the ferns on Friday. [[ferns]]")
    system.consolidate()
    how = remember(system, "water the ferns on friday. [[Ferns]]", kind="procedural")
    system.consolidate()
    assert entry(system, fact)["twins"] == [how]
    assert entry(system, how)["twins"] == [fact]
    text = body(system, "ferns")
    assert text.index("## Facts") < text.index(f"^{fact}") < text.index("## How to") < text.index(f"^{how}")


def test_contradicting_facts_name_each_other(system: System) -> None:
    one = remember(system, "The library closes at 5 on Fridays. [[library]]")
    system.consolidate()
    two = remember(system, "The library closes at 6 on Fridays. [[library]]")
    system.consolidate()
    assert entry(system, one)["conflicts"] == [two]
    assert entry(system, two)["conflicts"] == [one]
    assert entry(system, one)["status"] == "active"


def passing_over(system: System, entry_id: str) -> dict[str, Any]:
    """A run that takes an entry and does not file it."""
    run = system.wiring.clock.new_id()
    base = {"space": system.space, "run": run, "trigger": "manual"}
    assert system.task("gate", base)["decision"] == "run"
    planned = system.task("plan", base)
    name = f"runs/{run}/plan.json"
    stored = system.wiring.pages.read(system.space, name)
    assert stored is not None
    left = re.sub(rf'(?<="entries": )\["{entry_id}"\]', "[]", stored.body.decode())
    assert left != stored.body.decode()
    system.wiring.pages.write(system.space, name, left.encode(), etag="*", run=run)
    for batch in planned["batches"]:
        system.task("file", {**base, **batch})
    for task in ("settle", "views", "maintain"):
        system.task(task, base)
    done: dict[str, Any] = system.task("release", base)
    return done


def test_an_entry_that_three_productive_runs_passed_over_goes_to_the_page_of_its_month(system: System) -> None:
    late = remember(system, "The loom is in the attic. [[loom]]", at="2026-05-05T12:00:00Z")
    for number in range(3):
        remember(system, f"Thought number {number} about weaving. [[weaving]]")
        assert passing_over(system, late)["status"] == "progress"
        assert entry(system, late)["status"] == "pending"
    system.consolidate()
    assert entry(system, late)["filed_to"] == ["notes/semantic/2026-05"]


def test_facts_for_a_page_that_cannot_be_read_whole_go_to_the_page_of_their_month(system: System) -> None:
    broken = b"---\ntitle: [unclosed\n---\nbody\n"
    for slug in ("attic", "notes/semantic/2026-05"):
        system.wiring.pages.write(system.space, f"concepts/{slug}.md", broken, etag=None)
    system.pump()
    fact = remember(system, "The attic is dry. [[attic]]", at="2026-05-05T12:00:00Z")
    assert system.consolidate()["status"] == "progress"
    assert entry(system, fact)["filed_to"] == ["notes/semantic/2026-05-2"]


@pytest.mark.parametrize("kinds", [("semantic",), ("semantic", "episodic")])
def test_entries_say_where_they_stand_after_their_page_was_split(system: System, kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        facts = [f"Item {n} of the inventory {'is a box of old negatives ' * 2}{kind}" for n in range(80)]
        system.post("remember", {"content": [f"{fact}. [[inventory]]" for fact in facts], "kind": kind})
    system.consolidate()
    more = remember(system, "A last remark on all of it. [[inventory]]")
    system.consolidate()
    whole = system.get("memory/pages")["items"]
    pages = {page["slug"]: body(system, page["slug"]) for page in whole}
    assert next(page["slug"] for page in whole if page["kind"] == "index") == "inventory"
    for slug in pages.keys() - {"inventory"}:
        above = slug.rpartition("/")[0]
        assert f"[[{slug}|" in pages[above] and f"[[{above}|" in pages[slug]
    items = system.get("memory/entries?limit=100")["items"]
    assert [item["id"] for item in items if f"^{item['id']}" not in pages[item["filed_to"][0]]] == []
    (last,) = entry(system, more)["filed_to"]
    assert last == ("inventory/part-2" if len(kinds) == 1 else "inventory/facts/part-2")
