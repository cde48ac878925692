from typing import Any

import pytest

from remembrancer.core.entries import Entry
from remembrancer.core.place import Target, month_target, place, words

AT = 1_785_974_400_000  # 2026-08-06 00:00 UTC


def put(text: str, *links: str, kind: str = "semantic", zone: str = "UTC", **known: Any) -> Target:
    given: dict[str, Any] = {"existing": (), "titles": {}, "match": None, "floor": 0.5}
    entry = Entry("01J", text, kind=kind, at_ms=AT, zone=zone, links=links)
    return place(entry, **{**given, **known})


def test_the_first_hinted_page_that_exists_takes_the_fact() -> None:
    found = put("x", "new-page", "teams/data", existing={"teams/data"}, match=("other", 0.9))
    assert found == Target("teams/data", "Data", "Facts")


def test_a_hint_is_resolved_by_the_title_of_a_page() -> None:
    found = put("x", "Rachel Kim", titles={"rachel kim": "people/rachel-kim"})
    assert found == Target("people/rachel-kim", "Rachel Kim", "Facts")


def test_without_an_existing_page_the_first_hint_makes_one() -> None:
    assert put("x", "Data Platform", "b", match=("other", 0.9)) == Target(
        "data-platform", "Data Platform", "Facts"
    )
    assert put("x", "teams/data-platform") == Target("teams/data-platform", "Data platform", "Facts")


@pytest.mark.parametrize("hint", ["skills/x", "views/recent", "archive", "Skills", " "])
def test_a_hint_into_the_folders_of_the_service_is_no_place(hint: str) -> None:
    assert put("x", hint) == Target("notes/semantic/2026-08", "Facts of August 2026", "Facts")


def test_the_best_match_takes_the_fact_from_the_floor_on() -> None:
    assert put("x", match=("teams/data", 0.5)) == Target("teams/data", "Data", "Facts")
    assert put("x", match=("teams/data", 0.49)).slug == "notes/semantic/2026-08"


def test_a_page_about_whom_the_entry_names_comes_before_a_match_and_a_new_one_after_it() -> None:
    about: dict[str, Any] = {"named": "Rachel Kim", "home": "people/rachel-kim", "match": ("teams/data", 0.9)}
    assert put("x", **about, existing={"people/rachel-kim"}).slug == "people/rachel-kim"
    assert put("x", **about).slug == "teams/data"
    assert put("x", **{**about, "match": None}) == Target("people/rachel-kim", "Rachel Kim", "Facts")


def test_everything_else_goes_to_the_month_of_its_zone() -> None:
    assert put("x", kind="episodic") == Target("notes/episodic/2026-08", "Events of August 2026", "Timeline")
    assert put("x", kind="procedural").section == "How to"
    edge = Entry("01J", "x", at_ms=1_785_542_400_000 - 1)  # the last millisecond of July in UTC
    assert month_target(edge).slug == "notes/semantic/2026-07"
    assert month_target(Entry("01J", "x", at_ms=edge.at_ms, zone="Europe/Berlin")).slug == "notes/semantic/2026-08"


def test_a_slug_becomes_words() -> None:
    assert words("teams/data-platform") == "Data platform"
    assert words("people/ada-lind") == "Ada Lind"
