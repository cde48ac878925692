import pytest

from remembrancer.core.fusion import cosine_scale, fuse, lexical_scale, reciprocal_ranks, standard_scale
from tests.golden import cases


def test_a_candidate_that_the_lexical_list_lacks_gets_half_of_its_lowest() -> None:
    assert lexical_scale([8.0, 4.0, None]) == [1.0, 0.5, 0.25]


def test_cosines_go_from_the_lowest_to_the_highest() -> None:
    assert cosine_scale([0.2, 0.6, 0.4, None]) == pytest.approx([0.0, 1.0, 0.5, 0.0])


def test_nothing_that_differs_makes_no_difference() -> None:
    assert cosine_scale([0.3, 0.3]) == [0.0, 0.0]
    assert standard_scale([0.3, 0.3]) == [0.0, 0.0]
    assert lexical_scale([None, None]) == [0.0, 0.0]
    assert lexical_scale([0.0, 0.0]) == [0.0, 0.0]
    assert fuse([], []) == []


def test_each_half_works_without_the_other() -> None:
    assert fuse([2.0, 1.0], [None, None]) == [0.5, 0.25]
    assert fuse([None, None], [0.5, 0.1]) == [0.5, 0.0]


def test_the_standard_scale_has_the_deviation_of_the_population() -> None:
    assert standard_scale([1.0, 3.0, None]) == [-1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "case", [c for c in cases("hybrid_rank") if c["input"]["op"] == "rrf"], ids=lambda c: str(c["name"])
)
def test_golden_reciprocal_ranks(case: dict) -> None:  # type: ignore[type-arg]
    found = reciprocal_ranks(case["input"]["lists"], case["input"]["k"])
    assert found == pytest.approx(case["expect"], abs=case["tolerance"])


def test_an_item_adds_nothing_for_a_list_without_it() -> None:
    assert reciprocal_ranks([["a", "b"], ["b"]], 60) == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61})


@pytest.mark.parametrize(
    "case",
    [c for c in cases("hybrid_rank") if c["input"].get("formula") == "base"],
    ids=lambda c: str(c["name"]),
)
def test_golden_base_score(case: dict) -> None:  # type: ignore[type-arg]
    rows = case["input"]["candidates"]
    base = fuse([row["bm25_text"] + row["bm25_context"] for row in rows], [row["cosine"] for row in rows])
    scores = dict(zip((row["id"] for row in rows), base, strict=True))
    assert scores == pytest.approx(case["expect"]["scores"], abs=case["tolerance"])
    assert sorted(scores, key=lambda id: -scores[id]) == case["expect"]["order"]
