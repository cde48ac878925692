from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.statistics import Tally, common_words, ubiquitous_names

TALK = ["Anna: I went home with Bob", "Bob: Yes, Anna, on Monday", "Anna: It went well", "Carol: Hm"]


def test_names_are_counted_in_mid_sentence_and_as_speakers() -> None:
    assert ubiquitous_names(TALK) == ("Anna", "Bob", "Carol")
    assert ubiquitous_names([*TALK, *["Bob: fine"] * 3]) == ("Anna", "Bob")


def test_the_share_of_a_ubiquitous_name_is_inclusive() -> None:
    assert ubiquitous_names(["so Tom said", *["no"] * 5]) == ("Tom",)
    assert ubiquitous_names(["so Tom said", "so Tom said", "so Tom said", *["no"] * 17]) == ("Tom",)
    assert ubiquitous_names(["so Tom said", *["no"] * 6]) == ()


def test_first_words_and_calendar_words_are_no_names() -> None:
    assert ubiquitous_names(["Great idea. Lovely", "we met on Friday in May"]) == ()


def test_common_words_are_in_base_form_and_over_a_fifth_of_the_units() -> None:
    assert common_words(["she went", "we go", "a", "b", "c"]) == ("go",)
    assert common_words(["x", "a", "b", "c", "d"]) == ()


def test_an_empty_space_has_none() -> None:
    assert (ubiquitous_names([]), common_words([])) == ((), ())


@given(st.lists(st.text()), st.lists(st.text()))
def test_merged_tallies_count_like_one(first: list[str], second: list[str]) -> None:
    parts, whole = (Tally(), Tally()), Tally()
    for tally, texts in zip(parts, (first, second), strict=True):
        for text in texts:
            tally.add(text)
            whole.add(text)
    parts[0].merge(parts[1])
    assert parts[0] == whole
