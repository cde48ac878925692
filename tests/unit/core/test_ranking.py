import math
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.query import Analysis
from remembrancer.core.ranking import WEIGHTS, Weights, entity_signals, rank
from remembrancer.core.spans import Span
from remembrancer.core.units import Hit, Unit
from tests.golden import cases

NOTHING = Analysis("", "")
FLAT = Weights(group=0, date=0, asked=0, specific=0, entity=0, context=0, length=0, question=0)
DAY_MS = 86_400_000


def hit(
    id: str, bm25: float | None = None, cosine: float | None = None, ctx: float | None = None, **unit: Any
) -> Hit:
    fields = {"type": "entry", "group": id, **unit}
    made = Unit(parent=id, ordinal=0, rev=1, shown=id, text=id, ctx=id, embed=id, **fields)
    return Hit(id, made, {} if bm25 is None else {"bm25": bm25}, cosine, ctx)


def order(
    hits: list[Hit], analysis: Analysis = NOTHING, weights: Weights = FLAT, lexical: str = "bm25"
) -> list[str]:
    return [r.hit.id for r in rank(hits, analysis, weights=weights, lexical=lexical)]


def part(name: str, hits: list[Hit], analysis: Analysis = NOTHING, purpose: str = "recall") -> dict[str, float]:
    return {r.hit.id: r.parts[name] for r in rank(hits, analysis, purpose=purpose)}


def test_nothing_ranks_to_nothing() -> None:
    assert rank([], NOTHING) == []


def test_words_and_cosine_count_the_same() -> None:
    assert order([hit("a", 4.0, 0.1), hit("b", 1.0, 0.9)]) == ["b", "a"]
    assert part("base", [hit("a", 4.0, 0.1), hit("b", 1.0, 0.9)]) == pytest.approx({"a": 0.5, "b": 0.625})


def test_without_an_embedder_the_words_decide() -> None:
    assert order([hit("a", 1.0), hit("b", 2.0)]) == ["b", "a"]


def test_without_a_lexical_list_the_cosine_decides() -> None:
    assert order([hit("a", None, 0.1), hit("b", None, 0.2)]) == ["b", "a"]


def test_the_lane_of_the_words_can_be_another() -> None:
    hits = [Hit("a", hit("a").unit, {"reply": 1.0}), Hit("b", hit("b").unit, {"reply": 2.0, "bm25": 0.0})]
    assert order(hits, lexical="reply") == ["b", "a"]


def test_ties_go_to_the_fresher_then_to_the_smaller_id() -> None:
    hits = [hit("d"), hit("c", fresh_ms=1), hit("b", fresh_ms=2), hit("a", fresh_ms=1)]
    assert order(hits) == ["b", "a", "c", "d"]


def test_the_best_of_a_group_lifts_the_whole_group() -> None:
    hits = [hit("a", 2.0, group="g"), hit("b", 1.0, group="g"), hit("c", 1.0, group="h")]
    assert part("group", hits) == pytest.approx({"a": 0.55 * 0.5, "b": 0.55 * 0.5, "c": 0.55 * 0.25})


def test_a_named_day_weighs_less_in_an_injection() -> None:
    analysis = replace(NOTHING, spans=(Span(719_163, 719_163, "day"),))
    hits = [hit("a", at_ms=0), hit("b", at_ms=90 * DAY_MS)]
    assert part("date", hits, analysis) == {"a": 1.0, "b": 0.0}
    assert part("date", hits, analysis, purpose="inject") == {"a": 0.5, "b": 0.0}


def test_a_question_for_a_time_likes_units_that_name_one() -> None:
    hits = [hit("a", timed=True), hit("b", names=("Rome",)), hit("c")]
    assert part("asked", hits, replace(NOTHING, asks_when=True)) == {"a": 0.25, "b": 0, "c": 0}
    assert part("asked", hits, replace(NOTHING, asks_where=True)) == {"a": 0, "b": 0.25, "c": 0}
    assert part("specific", hits) == {"a": 0.1, "b": 0.1, "c": 0}


def test_questions_rank_lower_and_longer_units_higher() -> None:
    assert part("question", [hit("a", question=True), hit("b")]) == {"a": -0.15, "b": 0}
    assert part("length", [hit("a", words=9)])["a"] == pytest.approx(0.1 * math.log(10))


def test_context_counts_in_standard_deviations() -> None:
    assert part("context", [hit("a", ctx=0.2), hit("b", ctx=0.4), hit("c")]) == pytest.approx(
        {"a": -0.1, "b": 0.1, "c": 0.0}
    )


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (["Anna"], [1, -1, 0]),
        (["anna"], [1, -1, 0]),
        (["Anna", "Ben"], [0, 0, 0]),
        (["Zoe"], [0, 0, 0]),
        ([], [0, 0, 0]),
        (["Zoe", "Ben"], [-1, 1, 0]),
    ],
)
def test_the_one_known_entity_that_is_named_lifts_its_units(named: list[str], expected: list[int]) -> None:
    hits = [hit("1", entities=("Anna",)), hit("2", entities=("Ben",)), hit("3")]
    assert entity_signals(hits, named) == expected


def test_a_full_name_wins_over_a_shared_first_name() -> None:
    hits = [hit("1", entities=("Anna Lopez",)), hit("2", entities=("Anna Berg",))]
    assert entity_signals(hits, ["Anna"]) == [0, 0]
    assert entity_signals(hits, ["Anna", "Berg"]) == [-1, 1]
    assert entity_signals(hits, ["Lopez"]) == [1, -1]


def test_units_without_an_entity_are_about_the_names_in_them() -> None:
    hits = [hit("1", names=("Rome", "Tom")), hit("2", names=("Oslo",)), hit("3")]
    assert entity_signals(hits, ["Rome"]) == [1, -1, 0]
    assert entity_signals(hits, ["Rome"], {"rome"}) == [0, 0, 0]


def test_a_name_that_is_everywhere_makes_nothing_specific() -> None:
    assert part("specific", [hit("a", names=("Rome",))], replace(NOTHING, everywhere=frozenset(["rome"]))) == {
        "a": 0
    }


def test_the_score_is_the_sum_of_its_parts() -> None:
    ranked = rank([hit("a", 1.0, 0.2, 0.1, words=4), hit("b", 3.0, 0.1, 0.4, question=True)], NOTHING)
    assert all(r.score == pytest.approx(sum(r.parts.values())) for r in ranked)


NUMBER = st.none() | st.floats(-1, 30)
HITS = st.lists(
    st.builds(
        hit,
        st.text("abc", min_size=1),
        NUMBER,
        NUMBER,
        NUMBER,
        words=st.integers(0, 400),
        question=st.booleans(),
        timed=st.booleans(),
        names=st.sampled_from([(), ("Rome",)]),
        group=st.sampled_from(["g", "h", ""]),
        entities=st.sampled_from([(), ("Anna",), ("Ben", "Anna")]),
        at_ms=st.none() | st.integers(0, 10**12),
        fresh_ms=st.none() | st.integers(0, 10**12),
        mentions=st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6))).map(tuple),
    ),
    unique_by=lambda one: one.id,
)
ASKED = st.builds(
    Analysis,
    st.just(""),
    st.just(""),
    st.sampled_from([(), ("Anna",), ("Anna", "Ben")]),
    st.lists(
        st.builds(Span, st.integers(1, 10**6), st.integers(1, 10**6), st.sampled_from(["day", "period", "year"]))
    ).map(tuple),
    st.booleans(),
    st.booleans(),
)


@given(HITS, ASKED, st.randoms(use_true_random=False))
def test_ranking_is_a_permutation_with_finite_scores_whatever_the_order(
    hits: list[Hit], analysis: Analysis, chance: random.Random
) -> None:
    ranked = rank(hits, analysis)
    assert sorted(r.hit.id for r in ranked) == sorted(h.id for h in hits)
    assert all(math.isfinite(r.score) for r in ranked)
    shuffled = list(hits)
    chance.shuffle(shuffled)
    again = {r.hit.id: r.score for r in rank(shuffled, analysis)}
    assert again == pytest.approx({r.hit.id: r.score for r in ranked})


def _golden(row: dict[str, Any]) -> Hit:
    entities = {1: ("Anna",), -1: ("Ben",), 0: ()}[row["entity"]]
    return hit(
        row["id"],
        row["bm25_text"] + row["bm25_context"],
        row["cosine"],
        row["cosine_context"],
        group=row["page"],
        words=row["words"],
        entities=entities,
        question=bool(row["question"]),
        at_ms=0 if row["date"] else 400 * DAY_MS,
    )


@pytest.mark.parametrize(
    "case",
    [c for c in cases("hybrid_rank") if c["input"].get("formula") == "full"],
    ids=lambda c: str(c["name"]),
)
def test_golden_formula(case: dict[str, Any]) -> None:
    # the formula of these cases is an older one: other weights, and a lexical score of the whole page besides
    rows = case["input"]["candidates"]
    weights = replace(WEIGHTS, group=0.35, date=0.25, length=0.15, entity=case["input"]["entity_weight"])
    analysis = replace(NOTHING, entities=("Anna",), spans=(Span(719_163, 719_163, "day"),))
    top = max(row["bm25_page"] for row in rows) or 1
    pages = {row["id"]: 0.25 * row["bm25_page"] / top for row in rows}
    ranked = rank([_golden(row) for row in rows], analysis, weights=weights)
    scores = {r.hit.id: r.score + pages[r.hit.id] for r in ranked}
    assert scores == pytest.approx(case["expect"]["scores"], abs=case["tolerance"])
    assert sorted(scores, key=lambda id: -scores[id]) == case["expect"]["order"]
