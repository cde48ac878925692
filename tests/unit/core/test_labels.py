from typing import Any

import pytest

from remembrancer.core.buffer import read
from remembrancer.core.labels import label_id, pending_label, pending_node_id, pending_nodes
from remembrancer.errors import Invalid
from tests.golden import cases


def waiting(text: str) -> list[str]:
    """The texts of a buffer file, also those of bullets that somebody wrote above the first entry."""
    found: list[str] = []
    for block in read(text):
        rows = block.text.split("\n") if block.stamp else block.raw.split("\n")
        if block.stamp:
            found.append("\n".join(row.strip() for row in rows))
        else:
            found += [row[2:] for row in rows if row.startswith("- ")]
    return found


@pytest.mark.parametrize("case", cases("label_ids"), ids=lambda c: c["name"])
def test_golden_labels(case: dict[str, Any]) -> None:
    if case["expect"] == {"error": True}:
        with pytest.raises(Invalid):
            label_id(case["input"]["label"])
    else:
        assert label_id(case["input"]["label"]) == case["expect"]


@pytest.mark.parametrize("case", cases("pending_node_ids"), ids=lambda c: c["name"])
def test_golden_pending(case: dict[str, Any]) -> None:
    text, expect = case["input"]["text"], case["expect"]
    match case["input"]["op"]:
        case "node_id":
            assert pending_node_id(text) == expect
        case "label":
            assert pending_label(text) == expect
        case "pending_entries":
            nodes = [{"id": id, "text": own, "slugs": to} for id, own, to in pending_nodes(waiting(text))]
            assert nodes == expect
        case other:
            pytest.fail(f"unknown operation {other}")


def test_a_label_becomes_an_id_or_is_refused() -> None:
    assert label_id("  My  Memories!") == "my-memories"
    assert label_id("a_b - c") == "a_b---c"
    for label in ("", "   ", "---", "日本"):
        with pytest.raises(Invalid):
            label_id(label)


def test_the_id_counts_utf_16_units() -> None:
    assert pending_node_id("likes 🍕") == "buffer:1fxx4b2"
    assert pending_node_id("") == "buffer:45h"


def test_equal_texts_get_a_number() -> None:
    assert [node[0] for node in pending_nodes(["dup", "plain one", "dup", "dup"])] == [
        "buffer:3775qm",
        "buffer:1g547ej",
        "buffer:3775qm-2",
        "buffer:3775qm-3",
    ]


def test_a_label_is_the_first_line_without_link_marks() -> None:
    assert pending_label("[[people/rachel-kim|Rachel]] called\nabout [[x]]") == "rachel-kim called"
    assert pending_label("x" * 61) == "x" * 59 + "…"
