import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.english import BASE_FORMS, FUNCTION_WORDS, asks_when, asks_where, base_forms, is_timed


def test_the_lists_hold_138_irregular_forms_and_53_function_words() -> None:
    assert len(BASE_FORMS) == 138
    assert len(FUNCTION_WORDS) == 53


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She went home.", "She go home."),
        ("WENT, bought; (told)", "go, buy; (tell)"),
        ("The children's shoes", "The child's shoes"),
        ("it wasn't a swung lawn", "it wasn't a swung lawn"),
        ("  two\n\nlines   were\tkept ", "  two\n\nlines   be\tkeep "),
        ("Elle est allée à la mer", "Elle est allée à la mer"),
        ("昨日東京へ行った", "昨日東京へ行った"),
        ("", ""),
    ],
)
def test_irregular_words_come_in_their_base_form_and_nothing_else_changes(text: str, expected: str) -> None:
    assert base_forms(text) == expected


@given(st.text())
def test_base_forms_are_stable(text: str) -> None:
    once = base_forms(text)
    assert base_forms(once) == once


@pytest.mark.parametrize(
    "text", ["I saw him yesterday", "in May", "two years ago", "2023 was good", "next Friday"]
)
def test_a_date_or_a_relative_time_makes_a_text_timed(text: str) -> None:
    assert is_timed(text)


def test_a_text_without_time_is_not_timed() -> None:
    assert not is_timed("I like the colour of that dress")


def test_questions_for_a_time_and_for_a_place_are_told_apart() -> None:
    assert asks_when("When did Anna move?")
    assert asks_when("In what month was it?")
    assert asks_where("Where does Anna live?")
    assert asks_where("Which city did she visit?")
    assert not asks_when("What did she do whenever it rained?")
    assert not asks_where("What does she like?")
