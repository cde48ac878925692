import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.selection import (
    Blend,
    Option,
    deterministic,
    elbow,
    mmr,
    mmr_rounds,
    pick,
    pool,
    recency,
    weighted,
)
from tests.golden import cases


def name(case: dict[str, Any]) -> str:
    return str(case["name"])


def names(options: list[Option]) -> list[str]:
    return [option.id for option in options]


def test_the_best_come_first_until_the_budget_is_full() -> None:
    options = [Option("a", 0.5, tokens=40), Option("b", 0.9, tokens=40), Option("c", 0.7, tokens=40)]
    assert names(deterministic(options, 100)) == ["b", "c"]


def test_one_that_is_larger_than_the_whole_budget_is_passed_over() -> None:
    assert names(deterministic([Option("a", 0.9, tokens=101), Option("b", 0.1, tokens=5)], 100)) == ["b"]


def test_importance_and_anti_repetition_are_small_terms() -> None:
    near = [Option("a", 0.50), Option("b", 0.49, importance=1.0), Option("c", 0.52, recency=0.0)]
    assert names(deterministic(near, 9)) == ["b", "a", "c"]
    assert names(deterministic([Option("a", 0.5), Option("b", 0.4, importance=1.0)], 9)) == ["a", "b"]


def test_a_page_gives_three_sections_and_any_number_of_their_passages() -> None:
    options = [Option(str(n), 1 - n / 100, page="p", section=s) for n, s in enumerate("abcdab")]
    assert names(deterministic(options, 9)) == ["0", "1", "2", "4", "5"]


def test_the_same_text_is_taken_once() -> None:
    options = [
        Option("a", 0.5, text="Tea  time"),
        Option("b", 0.6, text="tea time"),
        Option("c", 0.1),
        Option("d", 0.1),
    ]
    assert names(deterministic(options, 9)) == ["b", "c", "d"]


OPTIONS = st.lists(
    st.builds(
        Option,
        st.text("abcdef", min_size=1),
        st.floats(0, 1),
        tokens=st.integers(0, 50),
        page=st.sampled_from(["", "p"]),
        section=st.sampled_from("abcde"),
    ),
    unique_by=lambda option: option.id,
)


@given(OPTIONS, st.integers(0, 200), st.randoms(use_true_random=False))
def test_the_order_of_the_options_does_not_matter_and_the_budget_holds(
    options: list[Option], budget: int, chance: random.Random
) -> None:
    taken = deterministic(options, budget)
    shuffled = list(options)
    chance.shuffle(shuffled)
    assert deterministic(shuffled, budget) == taken
    assert sum(option.tokens for option in taken) <= budget


def test_the_elbow_needs_a_material_drop_and_keeps_two() -> None:
    assert elbow([0.81, 0.8]) == 2
    assert elbow([0.9, 0.88, 0.55, 0.53]) == 2
    assert elbow([0.9, 0.3, 0.28]) == 2
    assert elbow([0.9, 0.85, 0.84, 0.83, 0.41]) == 4
    assert elbow([]) == 0
    assert elbow([0.9]) == 1


def test_the_pool_is_over_the_floor_up_to_the_elbow() -> None:
    scores = {"1": 1.0, "2": 0.98, "3": 0.9, "4": 0.45, "5": 0.41, "6": 0.39, "7": 0.4}
    assert names(pool(Option(id, score) for id, score in scores.items())) == ["1", "2", "3"]
    assert names(pool([Option("a", 0.4), Option("b", 0.39)])) == ["a"]


@pytest.mark.parametrize("case", cases("elbow", "faithful", "both"), ids=name)
def test_golden_elbow_faithful(case: dict[str, Any]) -> None:
    assert elbow(case["input"]["scores"], faithful=True) == case["expect"]


@pytest.mark.parametrize("case", cases("elbow", "improved", "both"), ids=name)
def test_golden_elbow(case: dict[str, Any]) -> None:
    assert elbow(case["input"]["scores"]) == case["expect"]


def test_anti_repetition_is_nothing_right_after_a_recall_and_half_after_an_hour() -> None:
    assert [recency(None), recency(0), recency(3600), recency(-3600)] == [1.0, 0.0, 0.5, 0.0]


@pytest.mark.parametrize("case", cases("recency", "faithful", "both"), ids=name)
def test_golden_recency_faithful(case: dict[str, Any]) -> None:
    given_ = case["input"]
    found = recency(given_["seconds_since_recall"], given_["half_life"], faithful=True)
    assert found == pytest.approx(case["expect"], abs=case["tolerance"])


@pytest.mark.parametrize("case", [c for c in cases("recency") if c["name"] != "clock_skew_faithful"], ids=name)
def test_golden_recency(case: dict[str, Any]) -> None:
    given_ = case["input"]
    found = recency(given_["seconds_since_recall"], given_["half_life"])
    assert found == pytest.approx(case["expect"], abs=case["tolerance"])


def _mmr(case: dict[str, Any]) -> tuple[list[Option], Any, dict[str, Any]]:
    given_ = case["input"]
    options = [
        Option(c["id"], math.nan if c["similarity"] is None else c["similarity"], c["importance"], c["recency"])
        for c in given_["candidates"]
    ]
    vectors = {c["id"]: c["vector"] for c in given_["candidates"]}

    def alike(a: Option, b: Option) -> float:
        return float(sum(x * y for x, y in zip(vectors[a.id], vectors[b.id], strict=True)))

    weights = given_["weights"]
    blend = Blend(weights["similarity"], weights["importance"], weights["recency"])
    return options, alike, {"most": given_["max"], "lam": given_["lambda"], "blend": blend}


@pytest.mark.parametrize("case", cases("mmr"), ids=name)
def test_golden_mmr(case: dict[str, Any]) -> None:
    options, alike, how = _mmr(case)
    assert names(mmr(options, alike, **how)) == case["expect"]["order"]


@pytest.mark.parametrize("case", [c for c in cases("mmr") if c["input"]["op"] == "mmr_trace"], ids=name)
def test_golden_mmr_rounds(case: dict[str, Any]) -> None:
    options, alike, how = _mmr(case)
    for (_, bids), expected in zip(mmr_rounds(options, alike, **how), case["expect"]["rounds"], strict=True):
        for bid, wanted in zip(bids, expected, strict=True):
            assert bid.option.id == wanted["id"]
            assert (bid.composite, bid.penalty, bid.value) == pytest.approx(
                (wanted["composite"], wanted["penalty"], wanted["value"]), abs=case["tolerance"]
            )


def test_the_second_pick_is_unlike_the_first() -> None:
    options = [Option("a", 1.0), Option("b", 0.99), Option("c", 0.6)]

    def alike(a: Option, b: Option) -> float:
        return 1.0 if {a.id, b.id} == {"a", "b"} else 0.0

    assert names(mmr(options, alike, 2)) == ["a", "c"]
    assert names(mmr(options, alike, 2, lam=1.0)) == ["a", "b"]


def test_a_score_that_is_no_number_is_left_out() -> None:
    assert names(mmr([Option("x", math.nan), Option("y", 0.1)], lambda a, b: 0.0, 2)) == ["y"]


@pytest.mark.parametrize("case", cases("roulette"), ids=name)
def test_golden_roulette(case: dict[str, Any]) -> None:
    given_ = case["input"]
    if given_["op"] == "pick":
        assert pick(given_["weights"], given_["random"]) == case["expect"]
        return
    weights = dict(zip(given_["ids"], given_["weights"], strict=True))
    options = [Option(id, 0.0) for id in given_["ids"]]
    taken = weighted(options, iter(given_["random"]), given_["count"], lambda option: weights[option.id])
    assert names(taken) == case["expect"]


def test_drawing_follows_the_stream_and_ends_when_no_weight_is_left() -> None:
    weights = {"a": 1.0, "b": 1.0, "c": 0.0}
    options = [Option(id, 0.0) for id in weights]
    assert names(weighted(options, iter([0.9, 0.5, 0.5]), 3, lambda o: weights[o.id])) == ["b", "a"]
    assert pick([], 0.5) == pick([0, 0], 0.5) == -1


@given(OPTIONS, st.integers(0, 5), st.integers())
def test_a_seed_draws_the_same_again(options: list[Option], most: int, seed: int) -> None:
    def drawn() -> list[Option]:
        chance = random.Random(seed)
        return weighted(options, iter(chance.random, None), most)

    assert drawn() == drawn()
    assert len({option.id for option in drawn()}) == len(drawn()) <= most
