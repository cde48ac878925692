from typing import Any
from unittest.mock import patch

from remembrancer.core.catalogue import Neighbour, PageHead
from remembrancer.errors import Throttled, Unavailable
from tests.pages import ingest, page
from tests.system import System

ROWING = "We row on the lake every Saturday morning with the club's new boats."
ROWING_TOO = "Every Saturday the club takes its new boats out to row on the lake."
TAXES = "Income tax forms are due at the office in spring, with receipts."


def head(system: System, slug: str) -> PageHead:
    found = system.wiring.catalogue.head(system.space, slug)
    assert found is not None
    return found


def near(system: System, slug: str) -> dict[str, float]:
    return {n.slug: n.weight for n in head(system, slug).neighbours if n.kind == "semantic"}


def upkeep(system: System, run: str = "") -> Any:
    run = run or system.wiring.clock.new_id()
    return system.task("maintain", {"space": system.space, "run": run, "trigger": "upkeep"})


def parents(system: System) -> set[str]:
    return {parent for parent, _, _ in system.wiring.index.ids(system.space)}


def test_pages_on_one_thing_become_neighbours_of_each_other(system: System) -> None:
    ingest(system, page("sport/rowing", ROWING), page("sport/boats", ROWING_TOO), page("money/taxes", TAXES))
    system.learn()
    assert near(system, "sport/rowing").keys() == {"sport/boats"}
    assert near(system, "sport/rowing")["sport/boats"] == near(system, "sport/boats")["sport/rowing"] > 0
    assert near(system, "money/taxes") == {}


def test_a_page_that_turns_to_something_else_leaves_its_neighbours(system: System) -> None:
    ingest(system, page("sport/rowing", ROWING), page("sport/boats", ROWING_TOO), page("money/taxes", TAXES))
    system.learn()
    system.post("ingest", {"pages": [page("sport/boats", TAXES + " Boats are exempt.")], "overwrite": True})
    system.pump()
    system.learn()
    assert near(system, "sport/rowing") == {}
    assert near(system, "sport/boats").keys() == near(system, "money/taxes").keys() ^ {
        "sport/boats",
        "money/taxes",
    }


def test_a_vetoed_neighbour_stays_away(system: System) -> None:
    ingest(system, page("sport/rowing", ROWING), page("sport/boats", ROWING_TOO))
    old = head(system, "sport/rowing")
    veto = Neighbour("sport/boats", "semantic", 0.0)
    system.wiring.catalogue.rate(system.space, PageHead(old.slug, old.rev, neighbours=(veto,)))
    system.learn()
    assert near(system, "sport/rowing") == {"sport/boats": 0}
    assert near(system, "sport/boats") == {}


def test_a_stage_that_fails_is_named_and_the_others_go_on(system: System) -> None:
    ingest(system, page("sport/rowing", ROWING), page("sport/boats", ROWING_TOO))
    system.learn()
    before = near(system, "sport/rowing")
    system.post("remember", {"content": "Rachel rows with Nadia."})
    system.post("ingest", {"pages": [page("sport/boats", ROWING_TOO + " Again.")], "overwrite": True})
    system.pump()
    with patch.object(system.wiring.index, "search", side_effect=Unavailable("down")):
        run = system.wiring.clock.new_id()
        lease = system.wiring.leases.take(system.space, run, "consolidation", seconds=600)
        told = system.task("maintain", {"space": system.space, "run": run, "trigger": "manual"})
        system.wiring.leases.release(lease)
    assert told["failed"] == {"neighbours": "Unavailable"}
    record = system.wiring.runs.get(system.space, run)
    assert record is not None
    assert record["degraded"] == {"neighbours": "Unavailable"}
    assert system.wiring.spaces.head(system.space).units == 1
    assert near(system, "sport/rowing") == before


def test_upkeep_finds_what_events_have_not_told(system: System) -> None:
    ingest(system, page("sport/rowing", ROWING), page("money/taxes", TAXES))
    wired = system.wiring
    wired.pages.write(system.space, "concepts/by/hand.md", b"Swans nest by the pier.\n", etag=None)
    wired.pages.delete(system.space, "concepts/money/taxes.md")
    stored = wired.pages.read(system.space, "concepts/sport/rowing.md")
    assert stored is not None
    wired.pages.write(system.space, "concepts/sport/rowing.md", b"We stopped rowing.\n", etag=stored.etag)
    told = upkeep(system)
    assert (told["drift"], told["failed"]) == (3, {})
    assert parents(system) == {"by/hand", "sport/rowing"}
    assert head(system, "money/taxes").deleted
    assert upkeep(system)["drift"] == 0


def test_upkeep_fills_an_index_that_lost_its_documents(system: System) -> None:
    ingest(system, page("sport/rowing", ROWING))
    (entry,) = system.post("remember", {"content": "Bins go out on Monday."})["entries"]
    system.pump()
    system.wiring.index.drop_space(system.space)
    later = system.wiring.clock.now_ms() + 3_600_000
    with patch.object(system.wiring.clock, "now_ms", return_value=later):
        assert upkeep(system)["drift"] == 2
    assert parents(system) == {"sport/rowing", entry["id"]}


def test_documents_of_nothing_are_removed_but_not_on_the_word_of_an_empty_listing(system: System) -> None:
    ingest(system, page("sport/rowing", ROWING), page("money/taxes", TAXES))
    table = system.wiring._memory.table
    table.write(table.delete((f"S#{system.space}#PAGES", "money/taxes")))
    kept = parents(system)
    answers: list[dict[str, Any]] = [{"return_value": []}, {"side_effect": Throttled("slow down")}]
    for answer in answers:
        with patch.object(system.wiring.pages, "names", **answer):
            upkeep(system)
        assert parents(system) == kept
        assert not head(system, "sport/rowing").deleted
    system.wiring.pages.delete(system.space, "concepts/money/taxes.md")
    assert upkeep(system)["drift"] == 1
    assert parents(system) == {"sport/rowing"}


def test_upkeep_waits_for_a_run_and_leaves_no_lease(system: System) -> None:
    lease = system.wiring.leases.take(system.space, "a-run", "consolidation", seconds=600)
    assert upkeep(system) == {"skipped": "locked"}
    system.wiring.leases.release(lease)
    assert upkeep(system)["failed"] == {}
    assert system.wiring.leases.current(system.space) is None


def test_the_weekly_report_waits_for_an_empty_buffer(system: System) -> None:
    ingest(system, page("sport/rowing", "See [[money/taxes]] and [[nowhere]].", status="draft"))
    ingest(system, page("money/taxes", TAXES * 9, stale_after="2024-01-01"))
    system.post("remember", {"content": "Bins go out on Monday."})
    upkeep(system)
    assert system.wiring.spaces.head(system.space).upkeep["lint"] is None
    system.consolidate()
    upkeep(system)
    report = system.wiring.spaces.head(system.space).upkeep["lint"]
    assert report["first"]["one_way"] == ["sport/rowing > money/taxes"]
    assert report["first"]["dangling"] == ["sport/rowing > nowhere"]
    assert report["first"]["stale"] == ["money/taxes"]
    assert report["first"]["drafts"] == ["sport/rowing"]
    assert "sport/rowing" in report["first"]["micro"]
    upkeep(system)
    assert system.wiring.spaces.head(system.space).upkeep["lint"]["at_ms"] == report["at_ms"]
