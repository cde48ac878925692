from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from remembrancer.core.graph import importance, mutual, pagerank, semantic_weight
from tests.golden import cases

# A negative weight that counts was the old rule; ours drops it (the improved case of the same name).
RANKED = [c for c in cases("pagerank") if c["name"] != "negative_weight_faithful"]


@pytest.mark.parametrize("case", RANKED, ids=lambda c: c["name"])
def test_golden_pagerank(case: dict[str, Any]) -> None:
    given = case["input"]
    found = pagerank(
        [tuple(edge) for edge in given["edges"]],
        given.get("nodes"),
        damping=given["damping"],
        iterations=given["max_iterations"],
        tolerance=given["tolerance"],
    )
    assert found == pytest.approx(case["expect"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("semantic_weight"), ids=lambda c: c["name"])
def test_golden_semantic_weight(case: dict[str, Any]) -> None:
    given = case["input"]
    assert semantic_weight(given["similarity"], given["gate"]) == pytest.approx(
        case["expect"], abs=case["tolerance"]
    )


def test_a_chain_ends_in_its_most_important_page() -> None:
    assert pagerank([("a", "b", 1), ("b", "c", 1)]) == pytest.approx(
        {"a": 0.184417, "b": 0.341171, "c": 0.474413}, abs=1e-6
    )


def test_an_edge_without_a_positive_weight_or_a_known_end_is_dropped() -> None:
    edges = [("a", "b", 0), ("a", "gone", 5), ("a", "c", 1), ("b", "c", -3)]
    assert pagerank(edges, ["a", "b", "c"]) == pytest.approx(pagerank([("a", "c", 1)], ["a", "b", "c"]))


@pytest.mark.parametrize("weight", [5e-324, 1e308])
def test_only_the_proportion_of_weights_counts_however_small_or_large_they_are(weight: float) -> None:
    edges = [("a", "b", weight), ("a", "c", weight), ("b", "a", weight)]
    assert pagerank(edges) == pytest.approx(pagerank([(source, target, 1.0) for source, target, _ in edges]))


def test_a_page_without_links_is_neutral_and_below_a_hub() -> None:
    ranks = pagerank([("b", "a", 1), ("c", "a", 1)], ["a", "b", "c", "z"])
    found = importance(ranks, linked={"a", "b", "c"})
    assert found["z"] == 0.5
    assert found["a"] > 0.5 > found["b"]


def test_semantic_weight_grows_from_the_gate_to_ten() -> None:
    assert semantic_weight(0.2, 0.4) == semantic_weight(0.4, 0.4) == 0
    assert semantic_weight(0.6, 0.4) == pytest.approx(2.693075, abs=1e-6)
    assert semantic_weight(1, 0.4) == pytest.approx(10)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"), st.floats(-2, 10)), max_size=20))
@example([("a", "b", 5e-324)])
def test_ranks_sum_to_one_and_importance_stays_on_its_scale(edges: list[tuple[str, str, float]]) -> None:
    ranks = pagerank(edges, "abcdef")
    assert sum(ranks.values()) == pytest.approx(1)
    assert all(0 <= value <= 1 for value in importance(ranks, "abcdef").values())


def test_semantic_edges_need_both_sides_and_vetoes_stay() -> None:
    near = {"a": {"b": 0.8, "c": 0.7}, "b": {"a": 0.8, "d": 0.6}, "c": {"b": 0.9}}
    before = {"b": {"d": 2.0}, "c": {"a": 3.0}}
    found = mutual(near, {"a"}, before)
    assert {page: list(edges) for page, edges in found.items()} == {"a": ["b"], "b": ["a", "d"], "c": []}
    assert found["a"]["b"] == found["b"]["a"] == pytest.approx(semantic_weight(0.8, 0.5))
    vetoed = mutual(near, {"a"}, {"b": {"a": 0.0}})
    assert vetoed == {"a": {}, "b": {"a": 0.0}, "c": {}}


def test_a_page_keeps_its_nearest_neighbours_only() -> None:
    others = {f"p{n}": 0.6 + n / 100 for n in range(12)}
    near = {"a": others, **{page: {"a": cosine} for page, cosine in others.items()}}
    assert list(mutual(near, {"a"}, {})["a"]) == [f"p{n}" for n in range(11, 3, -1)]
    assert mutual({"a": {"b": 0.5}, "b": {"a": 0.5}}, {"a"}, {}) == {"a": {}, "b": {}}
