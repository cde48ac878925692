import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core import tokens
from remembrancer.core.tokens import count, within

# Counted with tiktoken and the published cl100k_base vocabulary (sha256 223921b7…65b2a7).
MEASURED = json.loads(Path(__file__).with_name("token_counts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row["name"])
def test_a_count_is_near_the_real_one(row: dict[str, Any]) -> None:
    assert 0.8 <= count(row["text"]) / row["cl100k_base"] <= 1.6


def test_all_texts_together_are_counted_a_little_high() -> None:
    estimated = sum(count(row["text"]) for row in MEASURED)
    assert 1.1 <= estimated / sum(row["cl100k_base"] for row in MEASURED) <= 1.25


def test_nothing_takes_no_token() -> None:
    assert count("") == 0


@given(st.text(), st.text())
def test_joining_two_texts_adds_at_most_one(a: str, b: str) -> None:
    assert count(a + b) <= count(a) + count(b) + 1


@given(
    st.text(st.sampled_from("aB9 \t\n\r-éяあ漢😀"), max_size=40),
    st.text(st.sampled_from("aB9 \t\n\r-é"), max_size=40),
)
def test_texts_joined_by_a_blank_line_never_take_more_than_their_parts(a: str, b: str) -> None:
    assert count(f"{a}\n\n{b}") <= count(a) + count("\n\n") + count(b)


@given(st.text())
def test_a_text_never_takes_more_tokens_than_bytes(text: str) -> None:
    assert count(text) <= len(text.encode("utf-8", "surrogatepass"))


MIXED = st.text(
    st.sampled_from("aBcDE9 \t\n\r-._éÀяЖあア漢한😀\u00ff\u0100\u1e00\u0370\u0600\u0900\x00\x7f"), max_size=60
)


def run_by_run(text: str) -> int:
    """The definition: each run in turn, by the first class that matches."""
    total, place = 0, 0
    while place < len(text):
        for pattern, up, down in tokens._RATES:
            if found := re.compile(pattern, re.DOTALL).match(text, place):
                total += -(-len(found[0]) * up // down)
                place = found.end()
                break
    return total


@given(st.one_of(st.text(), MIXED))
def test_a_count_is_the_sum_over_the_runs(text: str) -> None:
    assert count(text) == run_by_run(text)


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row["name"])
def test_a_count_of_a_known_text_is_the_sum_over_its_runs(row: dict[str, Any]) -> None:
    assert count(row["text"]) == run_by_run(row["text"])


def test_words_that_are_kept_are_bounded_and_change_no_count() -> None:
    words = [
        f"word{'x' * (n % 7)}{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(9_000)
    ]
    with patch.object(tokens, "KEPT", 1_000):
        assert count(" ".join(words)) == sum(map(run_by_run, words))
        assert len(tokens._COSTS) <= 1_000


@pytest.mark.parametrize("text", ["", "a b c", "?!?!", "x" * 40, "1 2 3", "żółć", "日本語", "🙂" * 5])
def test_within_says_what_counting_says(text: str) -> None:
    assert [within(text, most) for most in range(50)] == [count(text) <= most for most in range(50)]
