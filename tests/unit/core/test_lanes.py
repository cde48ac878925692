from dataclasses import replace
from typing import Any

import pytest

from remembrancer.core.catalogue import Neighbour
from remembrancer.core.choice import Candidate
from remembrancer.core.lanes import CAPS, LEAN, Caps, caps_for, fresh, hot, merge, neighbours
from remembrancer.core.units import Unit
from tests.golden import cases


@pytest.mark.parametrize("case", cases("hot_lane"), ids=lambda c: str(c["name"]))
def test_golden_hot(case: dict[str, Any]) -> None:
    given_ = case["input"]
    selections = [(s["slug"], s["age_days"]) for s in given_["selections"]]
    found = hot(selections, given_["k"], exclude=given_["exclude"], half_life_days=given_["half_life_days"])
    assert [slug for slug, _ in found] == [e["slug"] for e in case["expect"]]
    assert [score for _, score in found] == pytest.approx(
        [e["score"] for e in case["expect"]], abs=case["tolerance"]
    )


@pytest.mark.parametrize("case", cases("fresh_lane"), ids=lambda c: str(c["name"]))
def test_golden_fresh(case: dict[str, Any]) -> None:
    given_ = case["input"]
    pages = [(p["slug"], p["fresh_at"]) for p in given_["pages"]]
    assert fresh(pages, given_["k"], exclude=given_["exclude"]) == case["expect"]


def test_hot_pages_are_those_selected_often_and_lately() -> None:
    assert hot([("a", 14), ("a", 14), ("a", 14), ("b", 0), ("c", -3)]) == [("a", 1.5), ("b", 1.0), ("c", 1.0)]
    assert hot([("core", 0), ("core", 0), ("a", 0)], 1, exclude=["core"]) == [("a", 1.0)]


def test_fresh_pages_are_cut_after_the_exclusion() -> None:
    pages = [("b", 5.0), ("a", 5.0), ("c", -1.0), ("s", None), ("n", 9.0)]
    assert fresh(pages) == ["n", "a", "b", "c"]
    assert fresh(pages, 2, exclude=["n"]) == ["a", "b"]


def edges(*slugs: str, kind: str = "link") -> list[Neighbour]:
    return [Neighbour(slug, kind, 1.0) for slug in slugs]


def test_neighbours_are_authored_or_learned_and_never_seeds() -> None:
    known = {"a": [*edges("b", "x", "y"), *edges("z", kind="learned"), *edges("s", kind="semantic")]}
    assert [slug for slug, _ in neighbours(["a", "b"], known, {}, exclude=["y"])] == ["x"]
    assert [slug for slug, _ in neighbours(["a"], known, {}, learned=True)] == ["z"]


def test_hubs_are_not_expanded_and_each_seed_brings_its_strongest() -> None:
    known = {"a": [Neighbour(f"n{n}", "link", float(n)) for n in range(9)], "hub": edges("x")}
    found = [slug for slug, _ in neighbours(["hub", "a"], known, {"hub": 31})]
    assert found == ["n8", "n7", "n6", "n5", "n4", "n3"]
    assert [slug for slug, _ in neighbours(["hub"], known, {"hub": 30})] == ["x"]


def test_only_the_first_seeds_are_expanded_up_to_the_cap() -> None:
    known = {f"s{n}": edges(*(f"{n}-{m}" for m in range(6))) for n in range(20)}
    seeds = [f"s{n}" for n in range(20)]
    assert len(neighbours(seeds, known, {})) == 45
    assert len(neighbours(seeds[17:], {"s18": known["s18"]}, {}, caps=Caps(seeds=1))) == 0


def test_a_space_of_fewer_than_ten_pages_has_the_lean_profile() -> None:
    assert caps_for(9) == LEAN
    assert caps_for(10) == CAPS
    assert (LEAN.hot, LEAN.fresh, LEAN.learned) == (8, 8, 0)


def candidate(
    page: str, section: str = "", ordinal: int = 0, lane: str = "match", type: str = "passage"
) -> Candidate:
    return Candidate(Unit(type, page, ordinal, 1, "x", "x", "x", "x", section=section), lane, 1.0)


def found(lanes: dict[str, list[Candidate]], caps: Caps = CAPS) -> list[tuple[str, str]]:
    return [(c.lane, c.unit.parent + c.unit.section) for c in merge(lanes, caps)]


def test_lanes_surface_in_order_and_a_unit_belongs_to_the_first() -> None:
    lanes = {
        "edge": [candidate("e", lane="edge"), candidate("m", lane="edge")],
        "match": [candidate("m"), candidate("c")],
        "core": [candidate("c", lane="core")],
    }
    assert found(lanes) == [("core", "c"), ("match", "m"), ("edge", "e")]


def test_a_page_gives_three_sections_but_entity_hits_are_exempt() -> None:
    match = [candidate("p", section, n) for n, section in enumerate("abcda")]
    lanes = {
        "match": match,
        "entity": [candidate("p", "e", 9, "entity")],
        "reply": [candidate("p", "f", 7, "reply")],
    }
    assert found(lanes) == [*(("match", f"p{s}") for s in "abca"), ("entity", "pe")]


def test_a_unit_stays_in_its_first_lane_with_its_best_score() -> None:
    weak, strong = candidate("p"), replace(candidate("p", lane="reply"), score=5.0)
    (one,) = merge({"match": [weak], "reply": [strong]})
    assert (one.lane, one.score) == ("match", 5.0)


def test_entries_are_not_held_to_the_cap_of_pages() -> None:
    lanes = {"match": [candidate(str(n), type="entry") for n in range(5)]}
    assert len(found(lanes)) == 5


def test_every_lane_but_core_is_capped() -> None:
    many = [candidate(f"p{n}") for n in range(120)]
    for lane, cap in (("match", 100), ("hot", 40), ("fresh", 100), ("reply", 12), ("entity", 8), ("edge", 45)):
        assert len(found({lane: many})) == cap
    assert len(found({"core": many})) == 120
    assert found({"learned": many}, LEAN) == []
