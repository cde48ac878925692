"""Ids, packed vectors and bounded queries, without any index."""

import math
import random
import struct
from array import array

import pytest

from remembrancer.core.documents import (
    MAX_CHARS,
    MAX_TERMS,
    bounded,
    document_id,
    packed,
    refusal,
    restored,
    stored,
)
from remembrancer.core.units import Unit


def test_an_id_is_a_hash_of_space_and_parent_with_the_ordinal() -> None:
    assert document_id("s", "people/mary", 3) == "LMZDDQYYXXOZX3F5WKHBYBHSJA-3"


def test_space_and_parent_do_not_run_into_each_other() -> None:
    assert len({document_id("a", "bc", 0), document_id("ab", "c", 0), document_id("a", "bc", -1)}) == 3


def test_a_packed_vector_is_a_scale_and_a_byte_a_value() -> None:
    data = packed(array("f", [1.0, -0.5, 0.0]))
    assert struct.unpack("<f3b", data) == (pytest.approx(1 / 127), 127, -64, 0)


def test_packing_keeps_the_cosine_to_two_thousandths() -> None:
    dice = random.Random(5)
    for _ in range(20):
        one, two = ([dice.gauss(0, 1) for _ in range(384)] for _ in range(2))
        one, two = ([x / math.hypot(*v) for x in v] for v in (one, two))
        scale, *values = struct.unpack("<f384b", packed(one))
        product = sum(a * b for a, b in zip(values, two, strict=True))
        assert scale * product == pytest.approx(sum(a * b for a, b in zip(one, two, strict=True)), abs=0.002)


def test_what_is_stored_is_restored_without_the_texts_for_search() -> None:
    unit = Unit("entry", "01J", 0, 4, "shown", "text", "ctx", "embed", entities=("A",), mentions=((1, 2), (3, 3)))
    assert restored(stored(unit)) == Unit(
        "entry", "01J", 0, 4, "shown", "", "", "", entities=("A",), mentions=((1, 2), (3, 3))
    )


@pytest.mark.parametrize(
    ("vectors", "why"),
    [
        ([[1.0, 0.0], [0.0, 1.0]], ""),
        ([[1.0]], "wrong_dimension"),
        ([[1.0, 0.0], [0.0, 0.0]], "zero_vector"),
        ([[math.nan, 0.0]], "not_finite"),
    ],
)
def test_a_vector_that_cannot_be_searched_is_refused(vectors: list[list[float]], why: str) -> None:
    assert refusal(vectors, 2) == why


def test_a_query_is_cut_at_characters_and_at_terms() -> None:
    assert bounded("heron and otter") == "heron and otter"
    assert len(bounded("abcdefghi " * 500)) == MAX_CHARS
    assert bounded("a " * 450).count("a") == MAX_TERMS
    assert len(bounded("\u4e00" * 900)) == MAX_TERMS


@pytest.mark.parametrize("text", ["", " \n", "?!", "\U0001f600", "_"])
def test_a_query_without_words_is_empty(text: str) -> None:
    assert bounded(text).strip("_ ") == ""
