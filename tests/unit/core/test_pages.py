from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.catalogue import Neighbour, PageHead
from remembrancer.core.pages import MAX_BYTES, Page, describe, parse, render
from remembrancer.core.sections import sections
from remembrancer.errors import Invalid, TooLarge

RAW = """---
title: Anna Kim
tags:
- tea
links:
- places/lisbon — lives there
- not a slug
edges:
- to: teams/north
- places/lisbon
origin_date: 2026-06-10
mood: good
---

Anna works at North. She likes tea; see [[places/lisbon#food|Lisbon]] and [[people/anna]].

## Facts
- a ^01JDZZ3Q4R5S6T7V8W9X0Y1Z2A
- b
"""
SHAPES = {
    "windows path": '---\ntitle: Paths\npath: "C:\\dir"\n---\nbody\n',
    "curly quotes": "---\ntitle: \u201cquoted\u201d: yes: no\n---\nbody\n",
    "unbalanced quote": "---\ntitle: 'it's\n---\nbody\n",
    "rule": "---\nSome text after a rule.\n---\nmore\n",
    "star": "---\ntitle: *x*\n---\nbody\n",
    "wikilink item": "---\nlinks:\n- [[a]]b\n---\nbody\n",
    "not closed": "---\ntitle: A\nbody\n",
}

text = st.text(
    st.sampled_from("ab:-#*`[]'\"\u2028\ufeff\r\n ") | st.characters(exclude_categories=["Cs"]), max_size=80
)
heads = st.sampled_from(
    ["", "---\n", "---\ntitle: A\n---\n", "---\nx: [1\n---\n", "---\n\n---\n", "\ufeff---\na: 1\n---\n"]
)


def head(raw: str, *, previous: PageHead | None = None) -> PageHead:
    return describe(parse("people/anna", raw), raw.encode(), rev=3, modified_ms=7, previous=previous)


def test_a_page_is_read_whole() -> None:
    page = parse("people/anna", RAW)
    assert page.title == "Anna Kim"
    assert page.fields["edges"] == [{"to": "teams/north"}, "places/lisbon"]
    assert page.extra == {"mood": "good"}
    assert page.body.startswith("Anna works at North.")
    assert page.problems == ()
    assert render(page) == RAW
    assert parse("people/anna", RAW.encode(), strict=True) == page


def test_the_head_says_what_the_text_says() -> None:
    found = head(RAW)
    assert (found.slug, found.rev, found.title, found.tags) == ("people/anna", 3, "Anna Kim", ("tea",))
    assert found.summary == "Anna works at North."
    assert found.links == ("places/lisbon", "teams/north")
    assert (found.origin_date, found.fresh_ms, found.modified_ms) == ("2026-06-10", 1_781_049_600_000, 7)
    assert [(s.key, s.ordinal, s.passages) for s in found.sections] == [("", 0, 1), ("Facts", 1, 2)]
    assert (found.units, found.chars) == (3, len(parse("x", RAW).body))
    assert found.parse_error == ""
    assert (found.importance, found.neighbours, found.indexed_rev) == (None, (), 0)


def test_the_hash_of_a_section_changes_with_its_text_only() -> None:
    before, after = head(RAW).sections, head(RAW.replace("- b", "- c")).sections
    assert before[0] == after[0]
    assert before[1].sha != after[1].sha


def test_what_is_learned_elsewhere_is_kept() -> None:
    old = replace(
        head(RAW), importance=0.7, neighbours=(Neighbour("a", "learned", 1.0),), indexed_rev=2, deleted=True
    )
    found = head(RAW, previous=old)
    assert (found.importance, found.neighbours, found.indexed_rev) == (0.7, old.neighbours, 2)
    assert not found.deleted


def test_an_unreadable_origin_date_leaves_the_time_of_writing() -> None:
    assert head("---\norigin_date: 2025-02-30\n---\nx\n").fresh_ms == 7


@pytest.mark.parametrize(
    ("raw", "summary"),
    [
        ("---\nsummary: Given\n  here.\n---\nOther.\n", "Given here."),
        ("# Title\n\nFirst e.g. this. Second.\n", "First e.g."),
        ("He said \u201cno\u201d! Then left.", "He said \u201cno\u201d!"),
        ("Version 1.5 is out\n\nmore", "Version 1.5 is out"),
        ("- One item. Two.", "One item."),
        ("日本語です。二行目", "日本語です。"),
        ("```\ncode\n```\n", ""),
        ("## Only\nsections.\n", ""),
        ("", ""),
        ("word " * 60, ("word " * 40)[:199] + "…"),
    ],
)
def test_a_summary_is_given_or_the_first_sentence(raw: str, summary: str) -> None:
    assert head(raw).summary == summary
    assert len(summary) <= 200


@pytest.mark.parametrize("raw", SHAPES.values(), ids=SHAPES)
def test_frontmatter_that_cannot_be_read_stays_in_the_body(raw: str) -> None:
    page = parse("x", raw)
    assert page.body == raw
    assert [head(raw).parse_error] == list(page.problems)
    with pytest.raises(Invalid) as refused:
        parse("x", raw, strict=True)
    assert refused.value.message == page.problems[0]
    with pytest.raises(Invalid):
        render(replace(page, body="new"))


def test_a_bad_value_leaves_the_rest_and_survives_a_rewrite() -> None:
    page = parse("x", "---\ntitle: A\ntags:\n  a: b\n---\nbody\n")
    assert page.fields == {"title": "A"}
    assert page.problems == ("fields ignored: tags is not a list of texts",)
    assert parse("x", render(page)) == page
    with pytest.raises(Invalid):
        parse("x", "---\ntags:\n  a: b\n---\n", strict=True)


def test_an_empty_kind_is_no_kind() -> None:
    assert head("---\nkind:\n---\nx\n").kind == ""
    assert parse("x", "---\nkind:\n---\nx\n", strict=True).problems == ()


def test_bytes_that_are_not_utf_8_are_replaced_and_never_written() -> None:
    page = parse("x", b"---\ntitle: A\n---\nok\ncaf\xe9\n")
    assert (page.body, page.fields) == ("ok\ncaf\ufffd\n", {"title": "A"})
    assert page.problems == ("line 5: bytes that are not UTF-8 were replaced",)
    with pytest.raises(Invalid):
        render(page)
    with pytest.raises(Invalid, match="line 5"):
        parse("x", b"a\nb\nc\nd\n\xff", strict=True)


@pytest.mark.parametrize("raw", ["a".encode("utf-16"), b"\x89PNG\r\n\x1a\n\0\0"])
def test_what_is_no_text_is_invisible(raw: bytes) -> None:
    page = parse("x", raw)
    assert (page.body, page.invisible) == ("", "not a text in UTF-8")
    assert describe(page, raw, rev=1, modified_ms=0, previous=None).parse_error == page.invisible
    with pytest.raises(Invalid):
        render(page)


def test_a_page_of_more_than_a_megabyte_is_refused() -> None:
    assert parse("x", "a" * MAX_BYTES, strict=True).problems == ()
    assert parse("x", "a" * (MAX_BYTES + 1)).invisible == "a page holds at most 1000000 bytes"
    with pytest.raises(TooLarge):
        parse("x", "ä" * (MAX_BYTES // 2 + 1), strict=True)


def test_a_lone_surrogate_is_not_utf_8() -> None:
    assert parse("x", "a\ud800").problems == ("line 1: bytes that are not UTF-8 were replaced",)
    with pytest.raises(Invalid):
        parse("x", "a\ud800", strict=True)


def test_a_page_without_fields_is_its_body() -> None:
    assert render(Page("x", "body\n\n")) == "body\n"
    assert render(Page("x", "")) == ""
    assert Page("a/two-words", "").title == "Two words"


@pytest.mark.parametrize("body", ["---\na: 1\n---\nx\n", "\ufeffx\n"])
def test_a_body_that_looks_like_frontmatter_stays_a_body(body: str) -> None:
    assert parse("x", render(Page("x", body))) == Page("x", body)


@given(heads, text)
def test_writing_what_was_read_loses_nothing(start: str, rest: str) -> None:
    page = parse("x", start + rest)
    if page.problems:
        assert page.body.rstrip("\r\n") == (start + rest).lstrip("\ufeff").rstrip("\r\n")
    else:
        assert parse("x", render(page)) == page
        assert render(parse("x", render(page))) == render(page)


@given(st.binary(max_size=60) | text.map(str.encode))
def test_any_bytes_are_a_page(raw: bytes) -> None:
    page = parse("x", raw)
    found = describe(page, raw, rev=1, modified_ms=0, previous=None)
    assert found.units == sum(len(part.passages) for part in sections(page.body))
    assert len(found.summary) <= 200


def test_frontmatter_that_nobody_changed_keeps_its_bytes() -> None:
    raw = "---\ntags: [garden,   'beans']\nmood: 'green'   # a comment\n---\n\nThe plot.\n"
    page = parse("allotment", raw)
    assert render(page) == raw
    assert render(replace(page, body="Another text.\n")) == raw.replace("The plot.", "Another text.")
    assert "# a comment" not in render(replace(page, fields={**page.fields, "title": "New"}))


def test_the_catalogue_s_line_is_bounded() -> None:
    raw = "".join(f"## Section {n}\n\nSee [[page-{n}]].\n\n" for n in range(5_000))
    found = describe(parse("p", raw), raw.encode(), rev=1, modified_ms=0, previous=None)
    assert (len(found.sections), len(found.links), found.units) == (1_000, 1_000, 5_000)
