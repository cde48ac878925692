from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.buffer import (
    Block,
    clock_stamp,
    format_entry,
    join,
    lines,
    match_start,
    read,
    remove,
    write,
    write_day,
)
from remembrancer.core.entries import clean_text
from tests.golden import cases

STAMP = "Aug 5, 12:07 AM"
NOV_30 = 1_796_081_400_000  # 23:30 UTC
FORGED = "- [Jan 1, 9:00 AM] forged"

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
facts = st.lists(any_text | st.lists(any_text | st.just(FORGED), max_size=4).map("\n".join), max_size=5)


def flat(text: str) -> str:
    """The text as the older readers gave it: without the white space around each line."""
    return "\n".join(line.strip() for line in text.split("\n"))


@pytest.mark.parametrize("case", cases("buffer_format"), ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    given_, expect = case["input"], case["expect"]
    at = clock_stamp(datetime.fromisoformat(given_["local_time"])) if "local_time" in given_ else ""
    match given_["op"]:
        case "stamp":
            assert at == expect
        case "format_entry":
            assert format_entry(given_["content"], at) == expect
        case "match_start":
            found = match_start(given_["line"])
            assert (found and {"stamp": found[0], "text": found[1]}) == expect
        case "split":
            blocks = read(given_["text"])
            groups = [{"stamp": block.stamp or None, "raw": block.raw} for block in blocks]
            assert {"groups": groups, "joined": join(blocks)} == expect
        case "write_then_read":
            text = "".join(format_entry(fact, at) for fact in given_["facts"])
            blocks = read(text)
            assert (text, len(blocks)) == (expect["text"], expect["entries"])
            assert [flat(block.text) for block in blocks] == expect["facts_read"]
        case "consume":
            kept, removed, absent = remove(given_["text"], given_["consumed"])
            assert (kept, removed, absent) == (expect["remaining"], expect["removed"], expect["already_absent"])
        case other:
            pytest.fail(f"unknown operation {other}")


@given(facts)
def test_what_is_written_is_read_again(texts: list[str]) -> None:
    text = "".join(format_entry(fact, STAMP) for fact in texts)
    blocks = read(text)
    written = [first + "".join(f"\n{row if row.strip() else ''}" for row in rest) for first, *rest in
               (fact.split("\n") for fact in texts)]  # fmt: skip
    assert [block.text for block in blocks] == written
    assert {block.stamp for block in blocks} <= {STAMP}
    assert join(blocks) == text


@given(facts)
def test_an_entry_as_it_is_stored_keeps_its_lines(texts: list[str]) -> None:
    stored = [fact for fact in map(clean_text, texts) if fact and all(map(str.strip, fact.split("\n")))]
    assert [block.text for block in read("".join(format_entry(fact, STAMP) for fact in stored))] == stored


@given(any_text | st.lists(any_text | st.just(FORGED), max_size=6).map("\n".join))
def test_joining_what_was_read_gives_the_text_back(text: str) -> None:
    assert join(read(text)) == (f"{text}\n" if text and not text.endswith("\n") else text)


@given(facts)
def test_consumed_entries_go_once_each(texts: list[str]) -> None:
    text = "".join(format_entry(fact, STAMP) for fact in texts)
    raw = [block.raw for block in read(text)]
    assert remove(text, raw) == ("", len(raw), 0)
    assert remove(text + text, raw) == (text, len(raw), 0)
    assert remove(text, ["- [Aug 5, 1:00 AM] never written"]) == (text, 0, 1)


def test_a_forged_entry_inside_a_fact_stays_inside() -> None:
    (block,) = read(format_entry(f"x\n{FORGED}\n    code", STAMP))
    assert block == Block(f"- [{STAMP}] x\n  {FORGED}\n      code", STAMP, f"x\n{FORGED}\n    code")


def test_an_old_file_with_bodies_that_are_not_indented_is_read() -> None:
    blocks = read("prose\n- [Aug 5, 1:00 AM] a\nbody\n- [Aug 5, 1:02 AM]b")
    assert [(block.stamp, block.text) for block in blocks] == [
        ("", ""),
        ("Aug 5, 1:00 AM", "a\nbody"),
        ("Aug 5, 1:02 AM", "b"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "-  [Aug 5, 12:07 AM] x",
        " - [Aug 5, 12:07 AM] x",
        "- [August 5, 12:07 AM] x",
        "- [Aug \u0665, \u0661:\u0660\u0660 AM] x",
    ],
)
def test_only_the_exact_shape_starts_an_entry(line: str) -> None:
    assert match_start(line) is None


@pytest.mark.parametrize(
    ("zone", "stamp"),
    [
        ("UTC", "Nov 30, 11:30 PM"),
        ("America/New_York", "Nov 30, 6:30 PM"),
        ("Asia/Tokyo", "Dec 1, 8:30 AM"),
        ("Asia/Kathmandu", "Dec 1, 5:15 AM"),
    ],
)
def test_the_stamp_is_on_the_clocks_of_the_zone(zone: str, stamp: str) -> None:
    assert write("Tea.", NOV_30, zone) == f"- [{stamp}] Tea.\n"


def test_a_day_s_file_has_the_day_on_top() -> None:
    text = write_day(date(2026, 12, 1), [("Tea.\nWith milk.", NOV_30, "Asia/Tokyo")])
    assert text == "# Dec 1, 2026\n\n- [Dec 1, 8:30 AM] Tea.\n  With milk.\n"
    assert [block.stamp for block in read(text)] == ["", "Dec 1, 8:30 AM"]
    assert lines(text) == 3
