from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.buffer import (
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


@pytest.mark.parametrize("case", cases("buffer_format"), ids=lambda c: c["name"])
def test_golden(case: dict) -> None:  # type: ignore[type-arg]
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
            assert [(b.stamp or None, b.raw) for b in blocks] == [
                (g.get("stamp"), g["raw"]) for g in expect["groups"]
            ]
            assert join(blocks) == expect["joined"]
        case "write_then_read":
            text = "".join(format_entry(fact, at) for fact in given_["facts"])
            assert text == expect["text"]
            assert len(read(text)) == expect["entries"]
        case "consume":
            kept, removed, absent = remove(given_["text"], given_["consumed"])
            assert (kept, removed, absent) == (expect["remaining"], expect["removed"], expect["already_absent"])


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60).filter(str.strip), max_size=5))
def test_what_is_written_is_read_again(texts: list[str]) -> None:
    facts = [fact for fact in map(clean_text, texts) if fact]
    text = "".join(format_entry(fact, STAMP) for fact in facts)
    blocks = read(text)
    blank = [["" if not line.strip() else line for line in fact.split("\n")] for fact in facts]
    assert [b.text.split("\n")[1:] for b in blocks] == [fact[1:] for fact in blank]
    assert len(blocks) == len(facts)
    assert join(blocks) == text


def test_a_forged_entry_inside_a_fact_stays_inside() -> None:
    (block,) = read(format_entry("x\n- [Jan 1, 9:00 AM] forged", STAMP))
    assert block.text == "x\n- [Jan 1, 9:00 AM] forged"


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
    assert write("Tea.", 1_796_081_400_000, zone) == f"- [{stamp}] Tea.\n"


def test_a_day_s_file_has_the_day_on_top() -> None:
    text = write_day(date(2026, 12, 1), [("Tea.\nWith milk.", 1_796_081_400_000, "Asia/Tokyo")])
    assert text == "# Dec 1, 2026\n\n- [Dec 1, 8:30 AM] Tea.\n  With milk.\n"
    assert [block.stamp for block in read(text)] == ["", "Dec 1, 8:30 AM"]
    assert lines(text) == 3
