from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.page_recall import Half, Mix, adaptive_mix, page_scores, spread_activation, weights_valid
from tests.golden import cases


@pytest.mark.parametrize("case", cases("adaptive_sparse"), ids=lambda c: str(c["name"]))
def test_golden_page_scores(case: dict[str, Any]) -> None:
    given_ = dict(case["input"])
    op = given_.pop("op")
    if op == "weights_valid":
        assert weights_valid(given_["dense_weight"], given_["sparse_weight"]) is case["expect"]
    elif op == "adaptive_weights":
        mix = adaptive_mix(
            given_["sparse_scores"],
            given_["dense_weight"],
            given_["sparse_weight"],
            min_spread=given_["min_sparse_spread"],
            full_spread=given_["full_sparse_spread"],
        )
        found = {"dense": mix.dense, "sparse": mix.sparse, "spread": mix.spread}
        assert found == pytest.approx(case["expect"], abs=case["tolerance"])
    else:
        halves: dict[str, dict[str, Half]] = {
            part: {hit["slug"]: Half(**hit[part]) for hit in given_["hits"] if part in hit}
            for part in ("body", "summary")
        }
        mix = Mix(given_["dense_weight"], given_["sparse_weight"])
        found = page_scores(halves["body"], halves["summary"], mix)
        assert found == pytest.approx(case["expect"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("spreading_activation"), ids=lambda c: str(c["name"]))
def test_golden_activation(case: dict[str, Any]) -> None:
    given_ = case["input"]
    edges = [(source, target) for source, target in given_["edges"]]
    found = spread_activation(given_["own"], edges, decay=given_["k"], hops=given_["hops"])
    assert found == pytest.approx(case["expect"], abs=case["tolerance"])


def test_flat_sparse_scores_hand_their_weight_to_dense() -> None:
    flat, apart = adaptive_mix([1.0, 0.9]), adaptive_mix([20.0, 10.0, None])
    assert (flat.dense, flat.sparse, flat.spread) == pytest.approx((1.0, 0.0, 0.1))
    assert (apart.dense, apart.sparse, apart.spread) == pytest.approx((0.85, 0.15, 0.5))
    assert adaptive_mix([3.0, None]) == Mix(0.85, 0.15)


def test_a_page_takes_the_better_of_body_and_summary() -> None:
    bodies, summaries = {"a": Half(0.2, 1.0), "b": Half(0.6, 2.0)}, {"a": Half(0.9, 2.0)}
    assert page_scores(bodies, summaries, Mix(0.85, 0.15)) == pytest.approx({"a": 0.915, "b": 0.66})


def test_activation_comes_along_incoming_links() -> None:
    own = {"a": 1.0, "b": 0.2, "c": 0.1}
    found = spread_activation(own, [("a", "b"), ("b", "c")])
    assert found == pytest.approx({"a": 1.0, "b": 0.7 / 1.5, "c": 0.45 / 1.75})


NAMES = st.sampled_from("abcdef")


@given(st.dictionaries(NAMES, st.floats(0, 1)), st.lists(st.tuples(NAMES, NAMES)))
def test_activation_stays_between_the_lowest_and_the_highest(
    own: dict[str, float], edges: list[tuple[str, str]]
) -> None:
    found = spread_activation(own, edges)
    assert found.keys() == own.keys()
    assert all(min(own.values()) - 1e-9 <= value <= max(own.values()) + 1e-9 for value in found.values())
