from typing import Any
from unittest.mock import patch

import pytest

from remembrancer.core.entries import Entry
from remembrancer.ports import Move
from tests.pages import ingest, page
from tests.system import System


def look(system: System, query: str = "", **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = system.post("recall", {"query": query, **more})["results"]
    return found


def remember(system: System, *facts: str, **more: Any) -> list[str]:
    found = system.post("remember", {"content": list(facts), **more})
    system.pump()
    return [entry["id"] for entry in found["entries"]]


def supersede(system: System, losers: list[str], winner: str) -> None:
    lease = system.wiring.leases.take(system.space, "test", "test", seconds=60)
    entries = system.wiring.entries.get(system.space, losers)
    moves = [
        Move(Entry(**{**{f: getattr(e, f) for f in Entry.__slots__}, "filed_by": "r", "superseded_by": winner}))
        for e in entries.values()
    ]
    assert system.wiring.entries.settle(system.space, moves, lease) == len(losers)
    system.wiring.leases.release(lease)


def test_neither_query_nor_pages_finds_nothing(system: System) -> None:
    remember(system, "The kettle is blue.")
    assert look(system, "  ") == []
    assert look(system) == []


@pytest.mark.parametrize(("count", "told"), [(20, False), (70, False), (240, True)])
def test_superseded_facts_do_not_crowd_out_an_active_one(system: System, count: int, told: bool) -> None:
    """Before the index is told of it, and after."""
    blue = [f"The kettle kettle kettle of room {n} is blue." for n in range(count)]
    losers = [entry for n in range(0, count, 80) for entry in remember(system, *blue[n : n + 80])]
    [winner] = remember(system, "Somebody moved a kettle last week.")
    supersede(system, losers, winner)
    if told:
        system.stream(losers)
    assert [r["id"] for r in look(system, "kettle", limit=1)] == [winner]
    every = look(system, "kettle", limit=100, include_superseded=True)
    assert len(every) == min(100, count + 1)
    assert {r["id"] for r in every} <= {*losers, winner}


def test_one_search_and_one_table_call(system: System) -> None:
    remember(system, *(f"The kettle of room {n} is blue." for n in range(30)))
    ingest(system, page("kitchen/kettle", "The kettle stands by the window."))
    look(system, "kettle")
    table, index = system.wiring.catalogue.table, system.wiring.index  # type: ignore[attr-defined]
    reads: list[str] = []

    def note(name: str) -> Any:
        inner = getattr(table.client, name)

        def noted(**more: Any) -> Any:
            reads.append(name)
            return inner(**more)

        return noted

    with (
        patch.object(table.client, "batch_get_item", note("batch_get_item")),
        patch.object(table.client, "get_item", note("get_item")),
        patch.object(table.client, "query", note("query")),
        patch.object(index, "search", wraps=index.search) as searched,
    ):
        assert look(system, "kettle", pages=["kitchen/kettle"])
    assert reads[-1:] == ["batch_get_item"]
    assert reads.count("batch_get_item") == 1
    assert set(reads[:-1]) <= {"get_item"}  # the space's head, when it was not read just now
    assert len(reads) <= 2
    assert searched.call_count == 1


def test_what_chooses_the_unit(system: System) -> None:
    ingest(
        system,
        page("kitchen/kettle", "The kettle is old.\n\n## Care\n\n- Descale the kettle.\n- Empty the kettle."),
        page("garden/beds", "Beans grow here."),
    )
    remember(system, "A kettle whistles.")
    assert {r["type"] for r in look(system, "kettle")} == {"passage", "entry"}
    assert {r["type"] for r in look(system, "kettle", what="passages")} == {"passage"}
    assert [r["text"] for r in look(system, "kettle", what="entries")] == ["A kettle whistles."]
    sections = [r for r in look(system, "kettle", what="sections") if r["slug"] == "kitchen/kettle"]
    assert sorted(r["id"] for r in sections) == ["kitchen/kettle§", "kitchen/kettle§Care"]
    care = next(r for r in sections if r["section"] == "Care")
    assert "Descale" in care["text"]
    assert "Empty" in care["text"]
    pages = look(system, "kettle", what="pages")
    assert (pages[0]["id"], pages[0]["type"], pages[0]["text"]) == ("kitchen/kettle", "page", "The kettle is old.")
    assert len({r["id"] for r in pages}) == len(pages)


def test_what_belongs_to_pages_joins_the_query(system: System) -> None:
    ingest(
        system,
        page("garden/beds", "Beans grow on the south bed.\n\n- Water them at dusk."),
        page("kitchen/kettle", "The kettle is blue."),
    )
    [near, _] = remember(system, "See [[garden/beds]] before frost.", "The beds in the hotel were hard.")
    only = look(system, pages=["garden/beds"])
    assert [(r["type"], r.get("slug", r["id"])) for r in only] == [
        ("passage", "garden/beds"),
        ("passage", "garden/beds"),
        ("entry", near),
    ]
    both = look(system, "kettle", pages=["garden/beds"], limit=100)
    assert both[0]["slug"] == "kitchen/kettle"
    assert {r["id"] for r in only} <= {r["id"] for r in both}
    assert [r["id"] for r in look(system, pages=["garden/beds"], what="entries")] == [near]
    assert look(system, pages=["no/page"]) == []


def test_entries_filed_to_a_page_belong_to_it(system: System) -> None:
    [fact] = remember(system, "Rachel takes oat milk in her coffee. See [[people/rachel]].")
    system.consolidate()
    system.pump()
    found = look(system, pages=["people/rachel"])
    assert {r["type"] for r in found} == {"passage", "entry"}
    assert fact in {r["id"] for r in found}


def test_filing_does_not_change_the_order_of_what_is_recalled(system: System) -> None:
    facts = [f"The kettle of room {n} is blue{' and old' * (n % 3)}." for n in range(12)]
    told = remember(system, *facts, "Tom serviced the kettle in May.", session_id="s1")
    before = look(system, "Which old kettle is blue?", limit=20)
    system.consolidate()
    system.pump()
    after = look(system, "Which old kettle is blue?", limit=20)
    assert {r["type"] for r in after} == {"passage"}
    assert [r["entries"] for r in after] == [r["entries"] for r in before]
    assert [r["score"] for r in after] == pytest.approx([r["score"] for r in before])
    assert {i for r in before for i in r["entries"]} == set(told)


def test_a_filed_line_that_somebody_edits_is_found_by_its_own_words(system: System) -> None:
    [fact, *_] = remember(system, "Rachel takes oat milk in her coffee. See [[people/rachel]].")
    system.consolidate()
    system.pump()
    body = system.get("memory/pages/people/rachel")["body"]
    system.call("PUT", "/v1/memory/pages/people/rachel", {"body": body.replace("coffee", "chicory")}, if_match="*")
    system.pump()
    [found] = look(system, "chicory", what="pages")
    assert (found["slug"], system.get(f"memory/entries/{fact}")["status"]) == ("people/rachel", "active")
    [found] = look(system, "chicory")
    assert "chicory" in found["text"]


def test_strategies_are_deterministic_and_keep_to_floor_and_limit(system: System) -> None:
    remember(system, *(f"The kettle of room {n} is blue and old." for n in range(6)), "Kettles need descaling.")
    ranked = look(system, "kettle", limit=3)
    assert look(system, "kettle", limit=3, strategy="ranked") == ranked
    assert [r["score"] for r in ranked] == sorted((r["score"] for r in ranked), reverse=True)
    best = look(system, "kettle", floor=1)
    assert [r["id"] for r in best] == [ranked[0]["id"]]
    varied = look(system, "kettle", limit=2, strategy="mmr", floor=0)
    assert {"room" in r["text"] for r in varied} == {True, False}
    draws = [tuple(r["id"] for r in look(system, "kettle", strategy="weighted", seed=7, floor=0)) for _ in "ab"]
    assert draws[0] == draws[1]
    others = {
        tuple(r["id"] for r in look(system, "kettle", strategy="weighted", seed=s, floor=0)) for s in range(8)
    }
    assert len(others) > 1


def test_a_space_of_the_page_tier_gets_pages_lifted_by_links(system: System) -> None:
    ingest(
        system,
        page("kettle", "The kettle whistles in the morning. It stands near [[window]]."),
        page("window", "A window to the yard, for the kettle too."),
        page("roof", "A roof over the yard, for the kettle too."),
    )
    remember(system, "The kettle is blue.")
    system.wiring.spaces.update(system.space, {"lanes_live": False})
    with patch("remembrancer.parts.heads.KEEP_MS", 0):
        found = look(system, "kettle")
    assert {r["type"] for r in found} == {"page"}
    assert found[0]["slug"] == "kettle"
    assert [r["slug"] for r in found].index("window") < [r["slug"] for r in found].index("roof")


@pytest.mark.parametrize("bad", [{"strategy": "best"}, {"floor": 1.5}, {"what": "words"}, {"zone": "Mars/Base"}])
def test_what_cannot_be_asked_is_refused(system: System, bad: dict[str, Any]) -> None:
    reply = system.call("POST", "/v1/memory/recall", {"query": "kettle", **bad})
    assert (reply.status, reply.json["error"]["field"]) == (400, next(iter(bad)))
