from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.entries import clean_text, normalise, text_hash
from remembrancer.errors import Invalid, TooLarge
from tests.golden import cases


@pytest.mark.parametrize(
    "case",
    cases("tombstone_normalisation", "improved", "both"),
    ids=lambda c: c["name"],
)
def test_golden(case: dict[str, Any]) -> None:
    given_, expect = case["input"], case["expect"]
    if given_["op"] == "normalise_tombstone":
        assert normalise(given_["text"] or "") == expect
    else:
        same = text_hash(given_["tombstone"]) == text_hash(given_["text"])
        assert same is expect["nfkc_casefold"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Cafe\u0301", "Caf\u00e9"), ("Straße", "STRASSE"), ("a  b\n", " a b"), ("ﬁle", "file"), ("ＡＢＣ", "abc")],
)
def test_two_spellings_of_a_text_are_one_fact(one: str, other: str) -> None:
    assert text_hash(one) == text_hash(other)


def test_a_full_stop_makes_another_text() -> None:
    assert text_hash("likes tea.") != text_hash("likes tea")


def test_every_line_end_becomes_one_kind() -> None:
    assert clean_text(" a\r\nb\rc\vd\fe\x85f\u2028g\u2029h\n") == "a\nb\nc\nd\ne\nf\ng\nh"


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(Invalid):
        clean_text("a\ud800")
    with pytest.raises(TooLarge):
        clean_text("x" * 16_001)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_cleaning_and_normalising_settle_at_once(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)
    assert normalise(clean_text(text)) == normalise(text)
