from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.learned import group_calls, learned_edges
from tests.golden import cases

EDGES = [c for c in cases("learned_edges") if c["input"]["op"] == "learned_edges"]
GROUPS = [c for c in cases("learned_edges") if c["input"]["op"] == "group_calls"]


@pytest.mark.parametrize("case", EDGES, ids=lambda c: c["name"])
def test_golden_learned_edges(case: dict[str, Any]) -> None:
    given = case["input"]
    calls = [(call["pages"], call["age_days"]) for call in given["calls"] for _ in range(call["repeat"])]
    found = learned_edges(
        calls,
        known=given.get("known"),
        half_life_days=given["half_life_days"],
        window_days=given["window_days"],
        min_mass=given["min_count"],
        npmi_floor=given["npmi_floor"],
        max_per_page=given["max_per_page"],
    )
    assert {page: [slug for slug, _ in edges] for page, edges in found.items()} == {
        page: [edge["page"] for edge in edges] for page, edges in case["expect"].items()
    }
    for page, edges in case["expect"].items():
        assert [npmi for _, npmi in found[page]] == pytest.approx([e["npmi"] for e in edges], abs=1e-6)


@pytest.mark.parametrize("case", GROUPS, ids=lambda c: c["name"])
def test_golden_grouping(case: dict[str, Any]) -> None:
    rows = [(row["conversation"], row["at"], row["slug"]) for row in case["input"]["rows"]]
    assert group_calls(rows) == case["expect"]


def test_pages_always_selected_together_have_npmi_one() -> None:
    calls = [(["a", "b"], 0.0)] * 4 + [(["c"], 0.0)] * 6
    found = learned_edges(calls)
    assert {page: [slug for slug, _ in edges] for page, edges in found.items()} == {"a": ["b"], "b": ["a"]}
    assert found["a"][0][1] == pytest.approx(1)


def test_two_selections_are_not_enough() -> None:
    assert learned_edges([(["a", "b"], 0.0)] * 2 + [(["c"], 0.0)] * 8) == {}


def test_old_selections_fade_and_end_with_the_window() -> None:
    others = [(["c"], 0.0)] * 6
    assert learned_edges([(["a", "b"], 30.0)] * 4 + others) == {}
    assert set(learned_edges([(["a", "b"], 30.0)] * 6 + others)) == {"a", "b"}
    assert learned_edges([(["a", "b"], 90.5)] * 40 + others) == {}


def test_a_page_that_is_in_every_selection_has_no_edges() -> None:
    calls = [(["a", "b", "h"], 0.0)] * 4 + [(["c", "h"], 0.0)] * 4
    assert set(learned_edges(calls)) == {"a", "b"}


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), st.integers(0, 95)), max_size=30
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_selections_does_not_matter(calls: list[tuple[list[str], int]], random: Random) -> None:
    shuffled = list(calls)
    random.shuffle(shuffled)
    one, other = learned_edges(calls), learned_edges(shuffled)
    assert one.keys() == other.keys()
    for page, edges in one.items():
        assert [slug for slug, _ in edges] == [slug for slug, _ in other[page]]
        assert all(0.2 < npmi <= 1 + 1e-9 for _, npmi in edges)
