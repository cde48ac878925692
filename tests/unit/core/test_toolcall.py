import json
from typing import Any

import pytest
from hypothesis import given

from remembrancer.core.toolcall import new_items, summary, summary_fits, system, tool_call
from remembrancer.errors import Invalid
from tests.golden import cases
from tests.unit.core.test_escaping import TAG, TEXTS

ITEMS = [("people/alice", "Alice moved to Lisbon."), ("01A", "Prefers tea.")]


def test_the_anthropic_shape_is_a_call_and_its_result() -> None:
    assert tool_call(ITEMS, call_id="get_memory-1") == [
        {
            "role": "assistant",
            "content": [
                {
                    "type": "tool_use",
                    "id": "get_memory-1",
                    "name": "get_memory",
                    "input": {"ids": ["people/alice", "01A"], "summary": True},
                }
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "get_memory-1",
                    "content": "people/alice: Alice moved to Lisbon.\n01A: Prefers tea.",
                }
            ],
        },
    ]


def test_the_openai_shape_has_its_arguments_as_text() -> None:
    call, result = tool_call(ITEMS, call_id="c1", shape="openai")
    function = call["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {"ids": ["people/alice", "01A"], "summary": True}
    assert (call["content"], function["name"], call["tool_calls"][0]["type"]) == (None, "get_memory", "function")
    assert result == {
        "role": "tool",
        "tool_call_id": call["tool_calls"][0]["id"],
        "content": "people/alice: Alice moved to Lisbon.\n01A: Prefers tea.",
    }


def test_nothing_new_gives_no_message() -> None:
    assert tool_call([], call_id="c") == []
    assert system([]) == ""


def test_an_unknown_shape_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        tool_call(ITEMS, call_id="c", shape="other")
    assert refused.value.field == "shape"


def test_the_caps_count_after_resident_ids_are_gone() -> None:
    five = [(str(n), "s") for n in range(6)]
    assert [i for i, _ in new_items(five, {"0", "2"}, 0)] == ["1", "3"]
    assert [i for i, _ in new_items(five, set(), 4)] == ["0"]
    assert new_items(five, set(), 5) == new_items(five, set(), 9) == []


def test_an_id_comes_once_with_its_best_summary() -> None:
    assert new_items([("a", "first"), ("a", "second"), ("b", "x")], (), 0) == [("a", "first"), ("b", "x")]


def test_the_system_form_has_one_line_an_item() -> None:
    assert system([("a", "x\ny"), ("b", "z")]) == "Relevant memory:\n- a: x y\n- b: z"


@given(TEXTS, TEXTS)
def test_no_summary_makes_a_second_line_or_a_tag(a: str, b: str) -> None:
    text = system([("1", a), ("2", b)])
    assert len(text.splitlines()) == 3
    assert not TAG.search(text)


@pytest.mark.parametrize("case", cases("summary_rule"), ids=lambda c: c["name"])
def test_golden_summary_lengths(case: dict[str, Any]) -> None:
    assert summary_fits(case["input"]["content_length"], case["input"]["summary_length"]) is case["expect"]


@pytest.mark.parametrize(
    ("content", "length", "fits"), [(10, 49, False), (10, 600, True), (3_003, 601, True), (3_002, 601, False)]
)
def test_a_fifth_of_a_long_content_raises_the_bound(content: int, length: int, fits: bool) -> None:
    assert summary_fits(content, length) is fits


def test_a_summary_of_the_right_length_is_used_and_any_other_replaced() -> None:
    text = "word " * 300
    given_ = "g" * 60
    assert summary(text, given_) == given_
    assert summary(text, "short") == ("word " * 120)[:599].rstrip() + "…"
    assert summary("  a\nb ") == "a b"
