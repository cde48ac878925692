import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.english import FUNCTION_FORMS, WORD
from remembrancer.core.query import Analysis, analyse, lexical, strip_names
from tests.golden import cases

NOW = 1_700_000_000_000


def analysed(message: str, ubiquitous: tuple[str, ...] = (), common: tuple[str, ...] = ()) -> Analysis:
    return analyse(message, ubiquitous=ubiquitous, common=common, years=(2023,), now_ms=NOW, zone="UTC")


def test_words_come_in_base_form_without_question_and_function_words() -> None:
    assert lexical("When did Melanie's children go to the lake?", ()) == "melanie child go lake"


def test_function_words_stay_when_there_is_nothing_else() -> None:
    assert lexical("Who is she?", ()) == "who is she"


def test_common_words_go_only_while_four_others_stay() -> None:
    assert lexical("red green blue black white", ["red"]) == "green blue black white"
    assert lexical("red green blue black", ["red"]) == "red green blue black"


@pytest.mark.parametrize("message", ["", "   ", "🎉🎉", "?!…", "—"])
def test_a_message_without_words_searches_no_words(message: str) -> None:
    assert analysed(message).lexical == ""


def test_names_that_are_everywhere_leave_the_dense_query_and_stay_in_the_lexical_one() -> None:
    found = analysed("When did Caroline visit Paris?", ("Caroline",))
    assert found.dense == "When did visit Paris?"
    assert "caroline" in found.lexical


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What is Melanie's job?", "What is job?"),
        ("Melanie likes what?", "Melanie likes what?"),
        ("what does melanie like", "what does melanie like"),
        ("Ask Melanie, please", "Ask please"),
        ("— Melanie?", "— Melanie?"),
    ],
)
def test_names_are_stripped_where_they_stand_capitalised_behind_the_first_word(query: str, expected: str) -> None:
    assert strip_names(query, ["Melanie"]) == expected


def test_names_quoted_words_and_links_are_entities() -> None:
    found = analysed('Did Tom read "Dune" about [[projects/atlas]]? What is Ann\u2019s view?')
    assert found.entities == ("Tom", "Dune", "Ann", "projects/atlas")
    assert found.links == ("projects/atlas",)


def test_dates_and_the_kind_of_question_are_seen() -> None:
    found = analysed("  When did she move in June?")
    assert found.asks_when
    assert not found.asks_where
    assert [span.kind for span in found.spans] == ["period"]


@given(st.text(), st.lists(st.text()), st.lists(st.text()))
def test_no_message_makes_it_fail(message: str, names: list[str], words: list[str]) -> None:
    found = analysed(message, tuple(names), tuple(words))
    assert bool(found.lexical) == bool(WORD.search(message))
    assert found.dense.split() == message.split() or len(found.dense) < len(message)


WORDS = st.text(alphabet="abcdefghijklmnop", min_size=3).filter(lambda word: word not in FUNCTION_FORMS)


@given(WORDS, st.lists(st.sampled_from(sorted(FUNCTION_FORMS))), st.booleans())
def test_a_content_word_is_always_searched(word: str, around: list[str], common: bool) -> None:
    assert lexical(" ".join([*around, word]), [word] if common else []) != ""


@pytest.mark.parametrize(
    "case", [c for c in cases("hybrid_rank") if c["input"]["op"] == "strip_names"], ids=lambda c: str(c["name"])
)
def test_golden_names_are_stripped(case: dict) -> None:  # type: ignore[type-arg]
    given_ = case["input"]
    names = [name for name, share in given_["unit_share"].items() if share >= given_["min_share"]]
    assert strip_names(given_["query"], names) == case["expect"]
