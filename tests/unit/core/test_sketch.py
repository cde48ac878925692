from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.dice import NEAR, likeness
from remembrancer.core.entries import normalise
from remembrancer.core.sketch import bits, candidates, folded, size_of, sketch

phrases = st.lists(
    st.sampled_from(["the", "user", "takes", "oat", "milk", "in", "her", "coffee", "at", "7", "not", "17"]),
    max_size=60,
)
texts = phrases.map(" ".join) | st.text(max_size=40)


def found(one: str, other: str) -> bool:
    a, b = normalise(one), normalise(other)
    return list(candidates([(sketch(a), size_of(a))], {size_of(b): [(sketch(b), "b")]}, NEAR)) == ["b"]


@given(texts, texts)
def test_no_near_pair_is_ruled_out(one: str, other: str) -> None:
    assert found(one, other) or not likeness(one, other).near


@given(texts, st.integers(0, 400), st.sampled_from(["", ".", " now", " and the rest"]))
def test_no_edited_text_that_stays_near_is_ruled_out(text: str, place: int, more: str) -> None:
    place %= len(text) + 1
    edited = text[:place] + more + text[place:]
    assert found(text, edited) or not likeness(text, edited).near


def test_other_texts_are_ruled_out_long_ones_too() -> None:
    assert not found("The office plants are watered on Monday", "The printer on floor two is broken")
    long = " ".join(f"step {n} turns valve {n * 7} of the pump" for n in range(40))
    other = " ".join(f"word {n * 13} names colour {n} on a map" for n in range(40))
    assert not found(long, other)


def test_a_sketch_folds_to_a_narrower_one() -> None:
    assert bits(0) == bits(64) == 128
    assert bits(65) == 256
    assert folded(0b1010_0110, 8, 4) == 0b1100
