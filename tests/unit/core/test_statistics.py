from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.statistics import Tally

TALK = ["Anna: I went home with Bob", "Bob: Yes, Anna, on Monday", "Anna: It went well", "Carol: Hm"]


def counted(*texts: str) -> Tally:
    tally = Tally()
    for text in texts:
        tally.add(text)
    return tally


def test_names_are_counted_in_mid_sentence_and_as_speakers() -> None:
    assert counted(*TALK).ubiquitous() == ("Anna", "Bob", "Carol")
    assert counted(*TALK, *["Bob: fine"] * 3).ubiquitous() == ("Anna", "Bob")


def test_the_share_of_a_ubiquitous_name_is_inclusive() -> None:
    assert counted("so Tom said", *["no"] * 5).ubiquitous() == ("Tom",)
    assert counted("so Tom said", "so Tom said", "so Tom said", *["no"] * 17).ubiquitous() == ("Tom",)
    assert counted("so Tom said", *["no"] * 6).ubiquitous() == ()


def test_first_words_and_calendar_words_are_no_names() -> None:
    assert counted("Great idea. Lovely", "we met on Friday in May").ubiquitous() == ()


def test_common_words_are_in_base_form_and_over_a_fifth_of_the_units() -> None:
    assert counted("she went", "we go", "a", "b", "c").common() == ("go",)
    assert counted("x", "a", "b", "c", "d").common() == ()


def test_an_empty_space_has_none() -> None:
    assert (counted().ubiquitous(), counted().common()) == ((), ())


@given(st.lists(st.text()), st.lists(st.text()))
def test_merged_tallies_count_like_one(first: list[str], second: list[str]) -> None:
    parts, whole = (Tally(), Tally()), Tally()
    for tally, texts in zip(parts, (first, second), strict=True):
        for text in texts:
            tally.add(text)
            whole.add(text)
    parts[0].merge(parts[1])
    assert parts[0] == whole
