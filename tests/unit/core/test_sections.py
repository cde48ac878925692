from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.fences import in_fence
from remembrancer.core.sections import (
    chunks,
    key_title,
    paragraph_chunks,
    readings,
    section_keys,
    sections,
)
from tests.golden import cases

ULID = "01JDZZ3Q4R5S6T7V8W9X0Y1Z2A"
OTHER = "01JDZZ3Q4R5S6T7V8W9X0Y1Z2B"

# a closed fence does not split a section and every chunk has its head line: the seed did otherwise
REPLACED = {
    "split_code_fence_faithful",
    *(f"chunks_{n}_faithful" for n in ("lines_of_99", "no_newline", "one_over")),
}


def shown(body: str) -> list[list[str]]:
    return [[passage.text for passage in part.passages] for part in sections(body)]


def under_head_lines(slug: str, body: str) -> list[tuple[str, str]]:
    """(heading, chunk) of each section, every chunk under the head line `last part of the slug — heading`."""
    name = slug.replace(".", "/").rpartition("/")[2]
    return [
        (part.heading, piece) for part in sections(body) for piece in chunks(f"{name} — {part.heading}", part.text)
    ]


def body_of(parts: list[dict[str, Any]]) -> str:
    rows = [
        f"## {part['heading']}\n" if "heading" in part else ("x" * part["line_length"] + "\n") * part["repeat"]
        for part in parts
    ]
    return "".join(rows)


@pytest.mark.parametrize(
    "case", [case for case in cases("sections") if case["name"] not in REPLACED], ids=lambda c: c["name"]
)
def test_golden(case: dict[str, Any]) -> None:
    given_, expect = case["input"], case["expect"]
    match given_["op"]:
        case "section_keys":
            assert section_keys(given_["titles"]) == expect
        case "section_key_title":
            assert key_title(given_["key"]) == expect
        case "index_sections":
            found = under_head_lines(given_["slug"], given_["body"])
            rows = [{"ordinal": n, "title": title, "text": text} for n, (title, text) in enumerate(found)]
            assert rows == expect
        case "chunk_lengths":
            found = under_head_lines(given_["slug"], body_of(given_["body_parts"]))
            sizes = [{"ordinal": n, "title": title, "length": len(text)} for n, (title, text) in enumerate(found)]
            assert sizes == expect
        case other:
            pytest.fail(f"unknown operation {other}")


@pytest.mark.parametrize("case", cases("paragraph_chunks"), ids=lambda c: c["name"])
def test_golden_paragraphs(case: dict[str, Any]) -> None:
    given_ = case["input"]
    if given_["op"] == "paragraph_chunks":
        assert paragraph_chunks(given_["text"], given_["max"]) == case["expect"]
    else:
        text = "\n\n".join("x" * length for length in given_["paragraph_lengths"])
        assert [len(chunk) for chunk in paragraph_chunks(text, given_["max"])] == case["expect"]


def test_headings_part_a_body_and_the_lead_is_always_there() -> None:
    parts = sections("# Title\nlead\n\n##   C#  \na\n## C#\n### Sub\nb\n## \nc\n##no\n")
    assert [(p.key, p.heading, p.ordinal) for p in parts] == [
        ("", "", 0),
        ("C##", "C#", 1),
        ("C###1", "C#", 2),
        ("#1", "", 3),
    ]
    assert [p.text for p in parts] == ["# Title\nlead\n", "a", "### Sub\nb", "c\n##no\n"]
    assert [p.text for p in sections("")] == [""]


def test_items_and_paragraphs_are_passages_in_order() -> None:
    body = (
        "Lead one.\n\nLead two\ngoes on.\n\n## Facts\n- a\n- b\n  more of b\n\n  still b\n- c\nlazy c\n\nAfter.\n"
    )
    assert shown(body) == [
        ["Lead one.", "Lead two\ngoes on."],
        ["- a", "- b\n  more of b\n\n  still b", "- c\nlazy c", "After."],
    ]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("text\n- a\n- b", ["text", "- a", "- b"]),
        ("1. a\n2. b\n   - c\n10) d", ["1. a", "2. b\n   - c", "10) d"]),
        ("It was in\n1986. It rained.", ["It was in\n1986. It rained."]),
        ("  - a\n    - b\n  - c", ["  - a\n    - b", "  - c"]),
        ("- a\n\n- b", ["- a", "- b"]),
        ("- a\n\t- b", ["- a\n\t- b"]),
        ("-\n- a", ["-", "- a"]),
        ("-no item", ["-no item"]),
        ("### Sub\ntext\n#### More\n- a", ["### Sub", "text", "#### More", "- a"]),
        ("#tag is text\ngoes on", ["#tag is text\ngoes on"]),
        ("a\n\n---\n\nb\n* * *\nc", ["a", "b", "c"]),
        ("intro\n| a | b |\n|---|---|\n| 1 | 2 |\nafter", ["intro", "| a | b |\n|---|---|\n| 1 | 2 |", "after"]),
        ("> quoted\n> on", ["> quoted\n> on"]),
        ("- a\r\n  b\r\n\r\ntext\r\n", ["- a\n  b", "text"]),
        ("\n\n  \n", []),
    ],
)
def test_what_is_one_passage(body: str, found: list[str]) -> None:
    assert shown(body) == [found]


def test_a_reference_at_a_line_s_end_is_provenance_and_not_shown() -> None:
    items = f"- Tea is at four. ^{ULID} ^{OTHER}\n- first ^{ULID}\n  last ^{OTHER}  \n- 2^10 and ^short stay\n"
    (lead,) = sections(f"{items}\nLead. ^{ULID}\n")
    assert [p.text for p in lead.passages] == [
        "- Tea is at four.",
        "- first\n  last",
        "- 2^10 and ^short stay",
        "Lead.",
    ]
    assert [p.entries for p in lead.passages] == [(ULID, OTHER), (ULID, OTHER), (), (ULID,)]
    assert [p.ordinal for p in lead.passages] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "line", [f"^{ULID}", f"- a ^{ULID} b", f"- a^{ULID}", f"- a ^{ULID[:-1]}", f"- a ^{ULID}X"]
)
def test_what_is_no_reference_is_shown(line: str) -> None:
    assert [(p.text, p.entries) for p in sections(line)[0].passages] == [(line, ())]


def test_code_neither_splits_a_section_nor_a_passage() -> None:
    code = f"```sh\n## not a heading\n\n- not an item ^{ULID}\n```"
    assert shown(f"Before.\n{code}\nAfter.\n") == [["Before.", code, "After."]]
    assert shown("- a\n  ```\n\n## no\n  ```\n- b\n") == [["- a\n  ```\n\n## no\n  ```", "- b"]]
    assert shown("~~~\n```\n## no\n~~~\n~~~\nx\n~~~") == [["~~~\n```\n## no\n~~~", "~~~\nx\n~~~"]]


def test_a_fence_that_is_never_closed_is_text() -> None:
    assert [part.key for part in sections("```\n## A\n~~~\n## B")] == ["", "A", "B"]
    assert in_fence(["````", "```", "a", "````", "```x`", "```"]) == [True, True, True, True, False, False]


def test_a_long_passage_is_cut_and_every_piece_says_what_it_belongs_to() -> None:
    body = "- The list of parts:\n" + "".join(f"  - part {n:05d}\n" for n in range(900)) + f"  end ^{ULID}\n"
    pieces = list(sections(body)[0].passages)
    assert [piece.ordinal for piece in pieces] == [0, 1, 2]
    assert all(len(p.text) <= 6_000 and p.text.startswith("- The list of parts:\n  - part") for p in pieces)
    assert sum(piece.text.count("part 0") for piece in pieces) == 900
    assert {piece.entries for piece in pieces} == {(ULID,)}


def test_a_long_line_is_cut_hard() -> None:
    assert [len(text) for text in shown("x" * 13_000)[0]] == [6_000, 6_000, 1_000]


def test_a_passage_may_stand_for_a_fact_with_or_without_mark_and_day() -> None:
    assert readings("- 2026-05-08: Went home.\n  Late.") == (
        "- 2026-05-08: Went home.\n  Late.",
        "2026-05-08: Went home.\n  Late.",
        "Went home.\n  Late.",
    )
    assert readings("12. Tea") == ("12. Tea", "Tea")
    assert readings("Tea - hot") == ("Tea - hot",)


letters = st.text(st.sampled_from("ab#- \n`~*1.|^\u2028\t\r"), max_size=200)
lines = st.lists(
    st.sampled_from(
        ["## a", "```", "~~~", "- b", "  c", "", "1. d", "---", "| e", "### f", "g", " ```x", f"h ^{ULID}"]
    ),
    max_size=25,
).map("\n".join)


@given(letters | lines)
def test_sections_cover_the_body(body: str) -> None:
    parts = sections(body)
    rows = body.split("\n")
    fenced = in_fence(rows)
    heads = [row for row, code in zip(rows, fenced, strict=True) if row.startswith("## ") and not code]
    assert [part.heading for part in parts] == ["", *(row[3:].strip() for row in heads)]
    texts = [parts[0].text] if not rows[0].startswith("## ") or fenced[0] else []
    for part, row in zip(parts[1:], heads, strict=True):
        texts += [row, part.text]
    kept = [row for text in texts for row in text.split("\n") if row]
    assert kept == [row for row in rows if row]
    assert len({part.key for part in parts}) == len(parts)
    assert [key_title(part.key) for part in parts] == [part.heading for part in parts]


@given(letters | lines)
def test_passages_cover_their_section(body: str) -> None:
    for part in sections(body):
        left = part.text.replace(f" ^{ULID}", "")
        for passage in part.passages:
            for row in filter(str.strip, passage.text.split("\n")):
                before, found, left = left.partition(row.replace(f" ^{ULID}", ""))
                assert found
                assert not set(before) & set("abcdefgh#")
        assert not set(left) & set("abcdefgh#")
        assert [passage.ordinal for passage in part.passages] == list(range(len(part.passages)))


@given(letters, st.text(st.sampled_from("ab"), max_size=3), st.integers(10, 60))
def test_chunks_hold_the_text_and_stay_within_the_limit(text: str, head: str, limit: int) -> None:
    pieces = chunks(head, text, limit)
    front = f"{head}\n" if head else ""
    assert all(piece.startswith(front) and len(piece) <= limit for piece in pieces)
    assert "".join(p.removeprefix(front) for p in pieces).replace("\n", "") == text.replace("\n", "")


@pytest.mark.parametrize(
    "body",
    [
        "```a\n" * 100_000,
        "".join(f"{'`' * n}\n" for n in range(900, 3, -1)) + "x\n" * 100_000,
        " " * 500_000 + "x",
        f"a ^{ULID}" + " " * 500_000 + "x",
        "- \n" * 100_000,
        "* " * 250_000,
        "## \n" * 50_000,
        "\n" * 500_000,
    ],
    ids=[
        "open fences",
        "shrinking fences",
        "spaces",
        "reference and spaces",
        "items",
        "marks",
        "headings",
        "blank",
    ],
)
def test_an_odd_body_costs_one_pass(body: str) -> None:
    assert sections(body)[0].ordinal == 0
