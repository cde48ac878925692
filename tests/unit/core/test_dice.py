from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.dice import BORDERLINE, NEAR, length_can_reach, likeness, pairs, reaches, tokens
from remembrancer.core.entries import normalise
from tests.golden import cases

ALL = cases("dice") + cases("dice_boundary")


def of(op: str) -> list[dict[str, Any]]:
    return [case for case in ALL if case["input"]["op"] == op]


@pytest.mark.parametrize("case", of("dice"), ids=lambda c: c["name"])
def test_golden_likeness(case: dict[str, Any]) -> None:
    found, wanted = likeness(case["input"]["a"], case["input"]["b"]), case["expect"]
    assert (found.exact, found.near, found.borderline) == (
        wanted["exact"],
        wanted["near_duplicate"],
        wanted["borderline"],
    )
    assert (found.overlap, list(found.sizes)) == (wanted["overlap"], wanted["bigrams"])
    assert found.score == pytest.approx(wanted["dice"], abs=case["tolerance"])


@pytest.mark.parametrize("case", of("normalise"), ids=lambda c: c["name"])
def test_golden_normalisation(case: dict[str, Any]) -> None:
    assert normalise(case["input"]["text"]) == case["expect"]


@pytest.mark.parametrize("case", of("reaches"), ids=lambda c: c["name"])
def test_golden_thresholds_in_integers(case: dict[str, Any]) -> None:
    given = case["input"]
    assert reaches(given["overlap"], given["total_bigrams"], given["threshold_percent"]) is case["expect"]


@pytest.mark.parametrize("case", of("length_can_reach"), ids=lambda c: c["name"])
def test_golden_length_bound(case: dict[str, Any]) -> None:
    given = case["input"]
    one, other = given["bigrams"]
    assert length_can_reach(one, other, given["threshold_percent"]) is case["expect"]


def test_a_score_of_exactly_82_percent_is_near_and_80_is_not() -> None:
    assert reaches(41, 100, NEAR)
    assert not reaches(40, 100, NEAR)
    assert reaches(30, 100, BORDERLINE)
    assert not reaches(29, 100, BORDERLINE)


def test_repeated_bigrams_count_as_often_as_they_occur() -> None:
    found = likeness("aa", "aaaa")
    assert (found.overlap, found.sizes, found.score) == (1, (1, 3), 0.5)


def test_a_short_contradiction_stays_below_the_near_line() -> None:
    assert likeness("User likes coffee", "User does not like coffee").borderline


def test_equal_texts_are_exact_and_never_near() -> None:
    found = likeness("User likes coffee", "user   LIKES coffee")
    assert found.exact
    assert not found.near
    assert found.score == 1


def test_texts_without_a_bigram_are_nothing_alike() -> None:
    found = likeness("a", "b")
    assert not found.near
    assert not found.borderline
    assert found.score == 0


texts = st.lists(st.text("ab c", max_size=12).map(normalise), max_size=12)


@given(texts, st.sets(st.integers(0, 11)), st.lists(st.sampled_from("xy"), min_size=12, max_size=12))
def test_counting_all_overlaps_at_once_finds_exactly_what_comparing_all_pairs_finds(
    rows: list[str], fresh: set[int], buckets: list[str]
) -> None:
    sets = [tokens(row) for row in rows]
    for percent in (NEAR, BORDERLINE):
        wanted = {
            (i, j)
            for j in range(len(rows))
            for i in range(j)
            if (i in fresh or j in fresh)
            and buckets[i] == buckets[j]
            and rows[i] != rows[j]
            and reaches(
                len(tokens(rows[i]) & tokens(rows[j])), len(tokens(rows[i])) + len(tokens(rows[j])), percent
            )
        }
        found = list(pairs(rows, buckets[: len(rows)], fresh, percent))
        assert {(i, j) for i, j, _, _ in found} == wanted
        assert len(found) == len(wanted)
        for i, j, overlap, total in found:
            assert overlap == len(sets[i] & sets[j])
            assert total == len(sets[i]) + len(sets[j])
