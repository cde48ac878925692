from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.twins import backed, best, fold
from remembrancer.core.units import Hit, Unit


def entry(id: str, scores: dict[str, float] | None = None, cosine: float | None = None, **unit: Any) -> Hit:
    fields = {"group": "s1", "shown": f"says {id}", **unit}
    made = Unit(type="entry", parent=id, ordinal=0, rev=1, text="", ctx="", embed="", **fields)
    return Hit(id, made, scores or {}, cosine, cosine)


def passage(slug: str, *cites: str, scores: dict[str, float] | None = None, **unit: Any) -> Hit:
    fields = {"group": slug, "shown": f"- on {slug}", **unit}
    made = Unit(type="passage", parent=slug, ordinal=0, rev=1, text="", ctx="", embed="", entries=cites, **fields)
    return Hit(slug, made, scores or {}, 0.1, 0.2)


def test_a_filed_fact_is_shown_as_its_page_has_it_and_ranked_as_the_entry() -> None:
    [one] = fold(
        [
            passage("people/mara", "A", scores={"bm25": 1.0, "knn": 0.1}),
            entry("A", {"bm25": 3.0}, 0.7, at_ms=5, entities=("Mara",), timed=True),
        ]
    )
    assert (one.id, one.unit.shown) == ("people/mara", "- on people/mara")
    assert (one.unit.group, one.unit.at_ms, one.unit.entities, one.unit.timed) == ("s1", 5, ("Mara",), True)
    assert (dict(one.scores), one.cosine, one.ctx_cosine) == ({"bm25": 3.0}, 0.7, 0.7)


def test_a_passage_of_several_facts_stands_for_all_of_them_in_its_own_context() -> None:
    [one] = fold([entry("A", {"bm25": 3.0}, 0.7), passage("x", "A", "B", scores={"bm25": 1.0}), entry("B")])
    assert (one.id, one.unit.group, one.scores["bm25"], one.cosine) == ("x", "x", 3.0, 0.7)


def test_a_fact_on_two_pages_comes_once() -> None:
    assert [hit.id for hit in fold([passage("x", "A"), passage("y", "A"), entry("A")])] == ["x"]


def test_facts_and_passages_of_their_own_stay_as_they_are() -> None:
    hits = [entry("A", {"bm25": 1.0}), passage("x"), passage("y", "B"), entry("C")]
    assert fold(hits) == hits


def test_a_filed_line_counts_only_with_its_entry() -> None:
    hits = [passage("x", "A", filed=True), entry("A"), passage("y", "B", filed=True), passage("z", "C")]
    assert [hit.id for hit in backed(hits)] == ["x", "A", "z"]


def test_without_its_entry_a_filed_line_has_the_score_of_its_own_words() -> None:
    [one] = fold([passage("x", "A", scores={"lines": 2.0, "knn": 0.3}, filed=True)])
    assert dict(one.scores) == {"bm25": 2.0, "knn": 0.3}


def test_the_best_of_every_lane_are_kept_in_their_order() -> None:
    hits = [
        entry("A", {"bm25": 1.0}),
        entry("B", {"bm25": 2.0}),
        entry("C", {"knn": 0.1}),
        entry("D", {"bm25": 2.0}),
    ]
    assert [hit.id for hit in best(hits, ("bm25", "knn"), 1)] == ["B", "C"]
    assert best(hits, ("bm25", "knn"), 9) == hits


HITS = st.lists(
    st.one_of(
        st.sampled_from("ABCDE").map(lambda id: entry(id, {"bm25": 1.0}, 0.3)),
        st.tuples(st.sampled_from("vwxyz"), st.lists(st.sampled_from("ABCDE"), unique=True, max_size=3)).map(
            lambda made: passage(made[0], *made[1])
        ),
    ),
    unique_by=lambda hit: hit.id,
)


@given(HITS)
def test_no_fact_is_lost_and_none_stands_beside_its_passage(hits: list[Hit]) -> None:
    def facts(found: list[Hit]) -> set[str]:
        return {fact for hit in found for fact in (hit.unit.entries or (hit.unit.parent,))}

    folded = fold(hits)
    assert facts(folded) == facts(hits)
    cited = {fact for hit in folded for fact in hit.unit.entries}
    assert cited.isdisjoint(hit.unit.parent for hit in folded if hit.unit.type == "entry")
    assert fold(folded) == folded
