"""What every search index keeps to, on a real OpenSearch and on SQLite."""

import math
import random
import secrets
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from remembrancer.adapters.opensearch import OpenSearchIndex
from remembrancer.adapters.sqlite_index import SqliteIndex
from remembrancer.core.documents import document_id
from remembrancer.core.units import Unit
from remembrancer.errors import Invalid, Unavailable
from remembrancer.ports import Embedded, Index, Lane, Search, Vector
from tests.opensearch import server

DIMENSION = 8
Open = Callable[..., Any]
Find = Callable[..., list[str]]


@pytest.fixture(scope="module", params=["opensearch", "sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Opens the index of one backend; the same `place` is the same index."""
    made: list[Any] = []
    folder: Path = tmp_path_factory.mktemp("index")
    mark = secrets.token_hex(4)

    def open_index(place: str = "a", identity: str = "model:1", dimension: int = DIMENSION) -> Any:
        if request.param == "opensearch":
            url = f"{server.url()}?prefix=contract-{mark}-{place}"
            made.append(OpenSearchIndex(url, identity, dimension))
        else:
            made.append(SqliteIndex(f"sqlite://{folder}/{place}.sqlite", identity, dimension))
        return made[-1]

    yield open_index
    for index in made:
        index.close()


@pytest.fixture(scope="module")
def index(opened: Open) -> Index:
    found: Index = opened()
    return found


@pytest.fixture
def space() -> str:
    return "space-" + secrets.token_hex(6)


def vector(*values: float) -> Vector:
    """A unit vector whose first values are in these proportions."""
    padded = [*values, *[0.0] * (DIMENSION - len(values))]
    length = math.hypot(*padded)
    return array("f", [value / length for value in padded])


EAST, NORTH, BETWEEN = vector(1), vector(0, 1), vector(1, 1)


def unit(parent: str, text: str = "a plain sentence", ordinal: int = 0, rev: int = 1, **more: Any) -> Unit:
    told = {"type": "passage", "shown": text, "text": text, "ctx": text, "embed": text, **more}
    return Unit(parent=parent, ordinal=ordinal, rev=rev, **told)


def embedded(one: Unit, at: Vector = EAST, ctx: "Vector | None" = None) -> Embedded:
    return Embedded(one, at, ctx or at)


def put(index: Index, space: str, *units: Unit | Embedded, **more: Any) -> None:
    ready = [one if isinstance(one, Embedded) else embedded(one) for one in units]
    assert index.put(space, ready, **more) == {}
    index.refresh()


def by_words(index: Index, space: str, text: str, **more: Any) -> list[str]:
    """Parents in order of their score."""
    found = index.search(Search(space, (Lane("bm25", text=text),), **more))
    return [hit.unit.parent for hit in found.hits]


def by_vector(index: Index, space: str, at: Vector = EAST, size: int = 100, **more: Any) -> list[str]:
    found = index.search(Search(space, (Lane("knn", vector=at, size=size),), vector=at, **more))
    return [hit.unit.parent for hit in found.hits]


def shown(index: Index, space: str) -> list[str]:
    found = index.search(Search(space, (Lane("knn", vector=EAST),)))
    return sorted(hit.unit.shown for hit in found.hits)


# ---------------------------------------------------------------- documents


FULL = Unit(
    type="passage",
    parent="people/mary-ann",
    ordinal=3,
    rev=7,
    shown="## Food\nShe likes \u5bff\u53f8, \U0001f363 and caf\u00e9s.\n",
    text="Mary: she like sushi",
    ctx="Mary: hello. Mary: she like sushi",
    embed="she likes sushi",
    title="Mary Ann \u203a Food",
    section="Food##1",
    whole="## Food\nShe likes it.\n\nMuch.",
    group="people/mary-ann",
    kind="preference",
    source="mcp",
    entities=("Mary", "Ann \u00d8"),
    entries=("01J0000000000000000000000A", "01J0000000000000000000000B"),
    at_ms=-86_400_001,
    fresh_ms=1_750_000_000_123,
    words=5,
    question=True,
    timed=True,
    names=("Zürich",),
    mentions=((738000, 738006), (-5, 12)),
)


def test_every_field_of_a_unit_comes_back(index: Index, space: str) -> None:
    put(index, space, FULL)
    [hit] = index.search(Search(space, (Lane("knn", vector=EAST),))).hits
    assert replace(hit.unit, text="", ctx="", embed="") == replace(FULL, text="", ctx="", embed="")
    assert hit.id == document_id(space, "people/mary-ann", 3)


def test_the_smallest_unit_comes_back(index: Index, space: str) -> None:
    small = unit("x", ordinal=-1)
    put(index, space, small)
    [hit] = index.search(Search(space, (Lane("bm25", text="sentence"),))).hits
    assert replace(hit.unit, text="", ctx="", embed="") == replace(small, text="", ctx="", embed="")


def test_the_longest_text_comes_back_whole(index: Index, space: str) -> None:
    longest = "\U0001f363" * 15_990 + " the heron"
    put(index, space, unit("a", longest), unit("b", "heron " * 2_600))
    [hit] = index.search(Search(space, (Lane("bm25", text="the"),))).hits
    assert hit.unit.shown == longest


def test_a_document_with_a_bad_vector_is_refused_alone(index: Index, space: str) -> None:
    short, zero, infinite = array("f", [1.0]), array("f", [0.0] * DIMENSION), array("f", [math.inf] * DIMENSION)
    bad = [Embedded(unit(name), v, EAST) for name, v in (("short", short), ("zero", zero), ("inf", infinite))]
    bad.append(Embedded(unit("ctx"), EAST, zero))
    errors = index.put(space, [*bad, embedded(unit("good"))])
    index.refresh()
    assert errors == {
        document_id(space, "short", 0): "wrong_dimension",
        document_id(space, "zero", 0): "zero_vector",
        document_id(space, "inf", 0): "not_finite",
        document_id(space, "ctx", 0): "zero_vector",
    }
    assert index.ids(space) == [("good", 0, 1)]


def test_documents_of_another_model_are_not_mixed(opened: Open, space: str) -> None:
    put(opened("models", "model:1"), space, unit("one"))
    other = opened("models", "model:2")
    try:
        other.ensure()
        seen = other.count(space)
    except Invalid as error:
        assert error.field == "identity"
        seen = 0
    assert seen == 0


def test_an_index_that_was_never_written_is_empty(opened: Open, space: str) -> None:
    empty = opened("never")
    assert (by_words(empty, space, "anything"), by_vector(empty, space)) == ([], [])
    assert (empty.count(space), empty.ids(space), empty.drop_space(space)) == (0, [], 0)


def test_ensuring_twice_and_from_another_process_is_fine(opened: Open, space: str) -> None:
    first, second = opened("twice"), opened("twice")
    first.ensure()
    second.ensure()
    first.ensure()
    put(first, space, unit("x"))
    assert second.count(space) == 1


# ---------------------------------------------------------------- versions


def test_a_newer_rev_replaces(index: Index, space: str) -> None:
    put(index, space, unit("a", "first word", rev=1))
    put(index, space, embedded(unit("a", "second thing", rev=2), NORTH))
    assert shown(index, space) == ["second thing"]
    assert by_words(index, space, "first") == []
    [hit] = index.search(Search(space, (Lane("knn", vector=NORTH),), vector=NORTH)).hits
    assert hit.cosine == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("rev", [4, 5])
def test_an_older_or_equal_rev_is_dropped_silently(index: Index, space: str, rev: int) -> None:
    put(index, space, unit("a", "stored", rev=5))
    put(index, space, unit("a", "late", rev=rev))
    assert shown(index, space) == ["stored"]


def test_repair_writes_an_equal_rev_but_no_older_one(index: Index, space: str) -> None:
    put(index, space, unit("a", "stored", rev=5))
    put(index, space, unit("a", "repaired", rev=5), repair=True)
    put(index, space, unit("a", "old", rev=4), repair=True)
    assert shown(index, space) == ["repaired"]
    assert index.ids(space) == [("a", 0, 5)]


def test_a_removed_unit_stays_removed_against_late_writes(index: Index, space: str) -> None:
    put(index, space, unit("a", "stored", rev=5))
    put(index, space, gone=[("a", 0, 6)])
    put(index, space, unit("a", "late", rev=5))
    put(index, space, unit("a", "late", rev=6))
    assert (index.count(space), index.ids(space), shown(index, space)) == (0, [], [])
    put(index, space, unit("a", "new", rev=7))
    assert shown(index, space) == ["new"]


def test_a_unit_removed_before_it_came_stays_away(index: Index, space: str) -> None:
    put(index, space, gone=[("a", 0, 6)])
    put(index, space, unit("a", "late", rev=6))
    assert index.count(space) == 0


def test_an_older_removal_is_dropped_and_an_equal_one_wins(index: Index, space: str) -> None:
    put(index, space, unit("a", rev=5), unit("b", rev=5))
    put(index, space, gone=[("a", 0, 4), ("b", 0, 5)])
    assert index.ids(space) == [("a", 0, 5)]


def test_revs_are_seen_at_once(index: Index, space: str) -> None:
    put(index, space, unit("a", rev=3), unit("a", rev=4, ordinal=1), unit("b", rev=9, ordinal=2))
    put(index, space, gone=[("a", 1, 5)])
    asked = [("a", 0), ("a", 1), ("a", 2), ("b", 2), ("c", 0)]
    assert index.revs(space, asked) == {("a", 0): 3, ("b", 2): 9}
    assert index.revs("another", asked) == index.revs(space, []) == {}


def test_one_call_writes_and_removes(index: Index, space: str) -> None:
    put(index, space, *(unit("page", f"part {n}", ordinal=n) for n in range(4)))
    put(index, space, unit("page", "part 0", 0, rev=2), gone=[("page", n, 2) for n in (1, 2, 3, 9)])
    assert index.ids(space) == [("page", 0, 2)]
    assert by_words(index, space, "part 3") == ["page"]


# ---------------------------------------------------------------- the lanes


def test_words_are_found_in_text_and_context_and_both_count(index: Index, space: str) -> None:
    put(
        index,
        space,
        unit("both", "the heron sat still", ctx="the heron sat still by the water"),
        unit("context", "it sat still there", ctx="the heron sat still by the water"),
        unit("neither", "the boat sat still", ctx="the boat lay still on the water"),
        *(unit(f"other-{n}", f"something about topic {n} entirely") for n in range(8)),
    )
    found = index.search(Search(space, (Lane("bm25", text="heron"),)))
    scores = {hit.unit.parent: hit.scores["bm25"] for hit in found.hits}
    assert list(scores) == ["both", "context"]
    assert scores["both"] > scores["context"] > 0


def test_what_is_filed_changes_nothing_of_how_words_weigh(index: Index, space: str) -> None:
    lines = [unit(f"e-{n}", f"the heron sat on stone {n}", type="entry") for n in range(4)]
    put(index, space, *lines, unit("other", "the boat lay still", type="entry"))
    lanes = (Lane("bm25", text="heron stone"), Lane("lines", text="heron stone", field="lines"))

    def found(name: str) -> dict[str, float]:
        hits = index.search(Search(space, lanes)).hits
        return {hit.unit.parent: hit.scores[name] for hit in hits if name in hit.scores}

    before = found("bm25")
    assert len(before) == 4 and found("lines") == {}
    put(index, space, *(unit(f"p-{n}", f"the heron sat on stone {n}", filed=True) for n in range(4)))
    assert found("bm25") == before
    assert found("lines").keys() == {"p-0", "p-1", "p-2", "p-3"}
    assert all(
        hit.unit.filed == hit.unit.parent.startswith("p") for hit in index.search(Search(space, lanes)).hits
    )


def test_inflected_and_accented_words_meet(index: Index, space: str) -> None:
    put(index, space, unit("a", "Caf\u00e9's RUNNING foxes"), unit("b", "nothing of the kind"))
    assert by_words(index, space, "cafe") == by_words(index, space, "fox run") == ["a"]


def test_a_possessive_name_is_found_by_the_name(index: Index, space: str) -> None:
    put(index, space, unit("a", "Caroline\u2019s brother called"), unit("b", "Melanie's sister called"))
    assert by_words(index, space, "Caroline") == ["a"]
    assert by_words(index, space, "melanie's") == ["b"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        (
            "\u6771\u4eac\u90fd\u5e81\u306e\u5c55\u671b\u53f0\u306b\u884c\u304d\u307e\u3057\u305f",
            "\u5c55\u671b\u53f0",
        ),
        ("\u6211\u6628\u5929\u5728\u5317\u4eac\u5927\u5b66\u56fe\u4e66\u9986\u770b\u4e66", "\u56fe\u4e66\u9986"),
        ("\uc6b0\ub9ac\ub294 \ud55c\uad6d\uc5b4\ub97c \uacf5\ubd80\ud569\ub2c8\ub2e4", "\ud55c\uad6d\uc5b4"),
        (
            "\u041c\u044b \u043a\u0443\u043f\u0438\u043b\u0438 \u0441\u0430\u043c\u043e\u0432\u0430\u0440",
            "\u0441\u0430\u043c\u043e\u0432\u0430\u0440",
        ),
        (
            "\u0627\u0634\u062a\u0631\u064a\u0646\u0627 \u0633\u062c\u0627\u062f\u0629",
            "\u0633\u062c\u0627\u062f\u0629",
        ),
        ("\uff30\uff39\uff34\uff28\uff2f\uff2e\u3067\u66f8\u304f", "python"),
        ("we moved to C++ last year", "C++"),
        ("released v3.1 on Monday", "v3.1"),
        ("the column user_id is unique", "user_id"),
        ("see GOALS.md for more", "GOALS.md"),
        ("model gpt-4.1 was slower", "gpt-4.1"),
        ("mail to ann@example.com please", "ann@example.com"),
        ('she said "don\'t" twice', "don't"),
    ],
)
def test_scripts_and_identifiers_are_found_first(index: Index, space: str, text: str, query: str) -> None:
    others = (
        "\u5927\u962a\u306b\u3044\u307e\u3059",
        "\u4e0a\u6d77\u5f88\u5927",
        "\uc11c\uc6b8\uc5d0 \uc788\ub2e4",
        "a b d e",
        "the v2 of it",
    )
    put(index, space, unit("wanted", text), *(unit(f"other-{n}", other) for n, other in enumerate(others)))
    assert by_words(index, space, query)[:1] == ["wanted"]


@pytest.mark.parametrize("text", ["", "   ", "?!\u2026", "\U0001f600\U0001f680", '++ -- ""', "*", "_"])
def test_a_query_without_words_finds_nothing(index: Index, space: str, text: str) -> None:
    put(index, space, unit("a", "any * text ++ _ \U0001f600 at all?!"))
    assert by_words(index, space, text) == []


@pytest.mark.parametrize(
    "text",
    [
        'heron" OR "',
        "text: heron",
        "heron*",
        "NOT heron",
        "(heron",
        "heron AND",
        "heron NEAR boat",
        "{heron}",
        "^heron",
    ],
)
def test_nothing_in_a_query_is_syntax(index: Index, space: str, text: str) -> None:
    put(index, space, unit("a", "the heron"), unit("b", "an otter"))
    assert by_words(index, space, text) == ["a"]


def test_a_very_long_query_is_cut_and_still_finds(index: Index, space: str) -> None:
    put(index, space, unit("a", "the heron"), unit("b", "\u5c55\u671b\u53f0"))
    words = "heron " + " ".join(f"w{n}" for n in range(5_000))
    assert by_words(index, space, words) == ["a"]
    assert by_words(index, space, "\u5c55\u671b\u53f0" + "\u4e00\u4e8c\u4e09\u56db\u4e94" * 2_000) == ["b"]
    assert by_words(index, space, "a b c d e f g heron " * 60) == ["a"]


def test_the_title_lane_sees_titles_only(index: Index, space: str) -> None:
    put(index, space, unit("a", "something", title="Zanzibar trip"), unit("b", "we talked of Zanzibar"))
    found = index.search(Search(space, (Lane("entity", text="zanzibar", field="title"),)))
    assert [(hit.unit.parent, list(hit.scores)) for hit in found.hits] == [("a", ["entity"])]


def test_every_hit_has_both_cosines_whatever_lane_found_it(index: Index, space: str) -> None:
    put(
        index,
        space,
        embedded(unit("near", "alpha"), EAST, BETWEEN),
        embedded(unit("far", "beta heron"), vector(-1, 0.2), NORTH),
    )
    lanes = (Lane("bm25", text="heron"), Lane("knn", vector=EAST, size=1))
    hits = {hit.unit.parent: hit for hit in index.search(Search(space, lanes, vector=EAST)).hits}
    assert list(hits) == ["far", "near"]
    assert hits["near"].cosine == pytest.approx(1.0, abs=0.01)
    assert hits["near"].ctx_cosine == pytest.approx(math.sqrt(0.5), abs=0.01)
    assert hits["far"].cosine == pytest.approx(-0.98, abs=0.01)
    assert hits["far"].ctx_cosine == pytest.approx(0.0, abs=0.01)
    assert hits["near"].scores["knn"] == pytest.approx(1.0, abs=0.01)
    assert list(hits["far"].scores) == ["bm25"]


def test_a_search_without_a_vector_has_no_cosines(index: Index, space: str) -> None:
    put(index, space, unit("a"))
    [hit] = index.search(Search(space, (Lane("bm25", text="sentence"),))).hits
    assert (hit.cosine, hit.ctx_cosine) == (None, None)


def test_a_unit_that_two_lanes_find_is_one_hit(index: Index, space: str) -> None:
    put(index, space, unit("a"))
    found = index.search(Search(space, (Lane("bm25", text="sentence"), Lane("knn", vector=EAST)), vector=EAST))
    assert [sorted(hit.scores) for hit in found.hits] == [["bm25", "knn"]]


def test_a_lane_returns_no_more_than_its_size(index: Index, space: str) -> None:
    put(index, space, *(embedded(unit(f"p{n}", "heron"), vector(1, n / 100)) for n in range(30)))
    assert by_vector(index, space, size=3) == ["p0", "p1", "p2"]
    found = index.search(Search(space, (Lane("bm25", text="heron", size=4),)))
    assert len(found.hits) == 4


def test_the_same_search_has_the_same_order(index: Index, space: str) -> None:
    put(index, space, *(unit(f"p{n}", "the same words") for n in range(20)))
    lanes = (Lane("bm25", text="words"), Lane("knn", vector=EAST))
    orders = {tuple(hit.id for hit in index.search(Search(space, lanes)).hits) for _ in range(5)}
    assert len(orders) == 1


def test_one_failing_lane_is_named_and_the_other_stands(index: Index, space: str) -> None:
    put(index, space, unit("a", "heron"))
    bad = Lane("knn", vector=array("f", [1.0]))
    found = index.search(Search(space, (bad, Lane("bm25", text="heron"))))
    assert ([hit.unit.parent for hit in found.hits], found.degraded) == (["a"], ("knn",))


def test_when_every_lane_fails_the_index_is_unavailable(index: Index, space: str) -> None:
    put(index, space, unit("a"))
    with pytest.raises(Unavailable):
        index.search(Search(space, (Lane("knn", vector=array("f", [1.0])),)))


def test_a_vector_of_another_size_is_refused(index: Index, space: str) -> None:
    with pytest.raises(Invalid) as caught:
        index.search(Search(space, (Lane("bm25", text="heron"),), vector=array("f", [1.0])))
    assert caught.value.field == "vector"


def test_a_lane_with_words_and_a_vector_is_refused(index: Index, space: str) -> None:
    with pytest.raises(Invalid):
        index.search(Search(space, (Lane("x", text="heron", vector=EAST),)))


# ---------------------------------------------------------------- filters


def test_the_filter_is_applied_before_the_nearest_are_chosen(index: Index, space: str) -> None:
    crowd = "crowd-" + secrets.token_hex(4)
    chance = random.Random(1)  # in a plane a graph of neighbours may fall apart
    near = [vector(1, *(chance.uniform(-0.5, 0.5) for _ in range(DIMENSION - 1))) for _ in range(300)]
    put(index, crowd, *(embedded(unit(f"c{n}"), one) for n, one in enumerate(near)))
    put(index, space, *(embedded(unit(f"mine{n}"), vector(-1, n)) for n in range(3)))
    assert sorted(by_vector(index, space, size=3)) == ["mine0", "mine1", "mine2"]
    assert len(by_vector(index, crowd)) == 100


def test_types_kinds_and_parents_limit_every_lane(index: Index, space: str) -> None:
    put(
        index,
        space,
        unit("a", "heron", kind="fact"),
        unit("b", "heron", type="entry", kind="fact"),
        unit("c", "heron", type="entry", kind="plan"),
        unit("d", "heron", type="page", kind="fact"),
    )
    finders: list[Find] = [partial(by_words, index, space, "heron"), partial(by_vector, index, space)]
    for find in finders:
        assert sorted(find()) == ["a", "b", "c"]
        assert sorted(find(types=("page",))) == ["d"]
        assert sorted(find(types=())) == ["a", "b", "c", "d"]
        assert sorted(find(kinds=("fact",))) == ["a", "b"]
        assert sorted(find(kinds=("plan", "none"))) == ["c"]
        assert sorted(find(parents=("a", "c", "missing"))) == ["a", "c"]
        assert find(kinds=("none",)) == []


def test_superseded_entries_are_found_only_when_asked_for(index: Index, space: str) -> None:
    old = unit("old", "the kettle is blue", type="entry", active=False)
    put(index, space, old, unit("new", "the kettle is red", type="entry"))
    assert by_words(index, space, "kettle") == by_vector(index, space) == ["new"]
    assert sorted(by_words(index, space, "kettle", superseded=True)) == ["new", "old"]
    assert sorted(by_vector(index, space, superseded=True)) == ["new", "old"]
    put(index, space, unit("old", "the kettle is blue", type="entry", rev=2))
    assert sorted(by_words(index, space, "kettle")) == ["new", "old"]


def test_dates_limit_by_the_units_day_or_else_its_freshness(index: Index, space: str) -> None:
    put(
        index,
        space,
        unit("old", "heron", at_ms=1_000, fresh_ms=9_000),
        unit("mid", "heron", at_ms=5_000),
        unit("fresh", "heron", fresh_ms=8_000),
        unit("never", "heron"),
    )
    finders: list[Find] = [partial(by_words, index, space, "heron"), partial(by_vector, index, space)]
    for find in finders:
        assert sorted(find(after_ms=5_000)) == ["fresh", "mid"]
        assert sorted(find(before_ms=5_000)) == ["old"]
        assert sorted(find(after_ms=1_000, before_ms=8_000)) == ["mid", "old"]
        assert sorted(find()) == ["fresh", "mid", "never", "old"]


@pytest.mark.parametrize("hostile", ["*", "_all", "a", "a-", "A", "a OR b", "../a", "a\x00", "a?", "", "_local"])
def test_no_other_space_is_ever_seen(index: Index, hostile: str) -> None:
    mark = secrets.token_hex(4)
    mine = [f"a1-{mark}", f"a-{mark}"]
    for name in mine:
        put(index, name, unit(f"in-{name}", f"heron{mark}"))
    other = hostile if hostile in ("*", "_all", "", "_local") else hostile + "x" + mark
    assert by_words(index, other, f"heron{mark}") == by_vector(index, other) == []
    assert (index.count(other), index.ids(other), index.drop_space(other)) == (0, [], 0)
    for name in mine:
        assert by_words(index, name, f"heron{mark}") == [f"in-{name}"]


# ---------------------------------------------------------------- the whole of a space


def test_dropping_a_space_leaves_the_others(index: Index, space: str) -> None:
    other = space + "x"
    put(index, space, *(unit(f"p{n}", "heron") for n in range(5)))
    put(index, other, unit("kept", "heron"))
    assert index.drop_space(space) == 5
    index.refresh()
    assert (index.count(space), index.ids(space)) == (0, [])
    assert by_words(index, space, "heron") == by_vector(index, space) == []
    assert by_words(index, other, "heron") == by_vector(index, other) == ["kept"]
    assert index.drop_space(space) == 0


def test_what_was_just_written_is_dropped_too(index: Index, space: str) -> None:
    assert index.put(space, [embedded(unit("a"))]) == {}
    assert index.drop_space(space) == 1


def test_writes_of_another_process_are_seen(opened: Open, space: str) -> None:
    one, two = opened(), opened()
    put(one, space, unit("a", "heron", rev=1), unit("b", "heron", rev=1))
    assert sorted(by_vector(two, space)) == ["a", "b"]
    put(one, space, unit("c", "heron"), unit("a", "otter", rev=2), gone=[("b", 0, 2)])
    assert sorted(by_vector(two, space)) == ["a", "c"]
    assert by_words(two, space, "heron") == ["c"]
    one.drop_space(space)
    two.refresh()
    assert by_vector(two, space) == []


def test_ten_thousand_and_one_units_of_one_space(opened: Open, space: str) -> None:
    big = opened("big")
    total = 10_001
    for start in range(0, total, 2_000):
        numbers = range(start, min(start + 2_000, total))
        ready = [embedded(unit(f"p{n:05}", f"heron number {n}", kind=f"k{n % 7}"), vector(1, n)) for n in numbers]
        assert big.put(space, ready) == {}
    big.refresh()
    assert big.count(space) == total
    assert big.ids(space) == [(f"p{n:05}", 0, 1) for n in range(total)]
    assert by_words(big, space, "9876")[:1] == ["p09876"]
    assert by_vector(big, space, size=2) == ["p00000", "p00001"]
    assert len(by_vector(big, space, kinds=("k3",))) == 100
    assert big.drop_space(space) == total
    assert big.count(space) == 0


# ---------------------------------------------------------------- lanes of their own


def listed(index: Index, space: str, *lanes: Lane, **more: Any) -> list[tuple[str, int, dict[str, float]]]:
    found = index.search(Search(space, lanes, **more))
    return [(hit.unit.parent, hit.unit.ordinal, dict(hit.scores)) for hit in found.hits]


def test_a_lane_lists_the_units_of_its_parents_in_order(index: Index, space: str) -> None:
    put(index, space, *(unit(parent, ordinal=n) for parent in ("c", "a", "b") for n in (2, 0, 1)))
    put(index, space, unit("a", ordinal=-1, type="page"))
    both = listed(index, space, Lane("lists", parents=("b", "a"), types=("passage",)))
    assert both == [(parent, n, {"lists": 0.0}) for parent in "ab" for n in range(3)]
    assert listed(index, space, Lane("lists", parents=("b", "no"), first=True)) == [("b", 0, {"lists": 0.0})]
    assert [n for _, n, _ in listed(index, space, Lane("lists", parents=("b",), size=2))] == [0, 1]
    assert listed(index, space, Lane("lists", parents=("a",), types=("page",))) == [("a", -1, {"lists": 0.0})]


def test_a_lane_of_parents_does_not_narrow_the_other_lanes(index: Index, space: str) -> None:
    put(index, space, unit("a", "a heron"), unit("b", "a heron"), unit("c", "a stork"))
    found = listed(index, space, Lane("bm25", text="heron"), Lane("lists", parents=("b", "c")), vector=EAST)
    assert {parent: set(scores) for parent, _, scores in found} == {
        "a": {"bm25"},
        "b": {"bm25", "lists"},
        "c": {"lists"},
    }
    assert listed(index, space, Lane("bm25", text="heron", parents=("b",)))[0][0] == "b"
    assert len(listed(index, space, Lane("bm25", text="heron", parents=("b",)))) == 1
