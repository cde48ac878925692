import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.catalogue import PageHead
from remembrancer.core.frontmatter import split
from remembrancer.core.pages import Page, describe, parse, render
from remembrancer.errors import Invalid
from tests.golden import cases

PEOPLE_S = """---
tags: [garden,   "beans"]
title:   "Allotment: the south bed"
mood: 'green'   # a comment
origin_date: 2026-06-10
---


The plot behind the line.

## Facts
- The gate is locked. See [[people/rachel-kim|Rachel]].
"""


@pytest.mark.parametrize("case", cases("frontmatter"), ids=lambda c: c["name"])
def test_golden(case: dict) -> None:  # type: ignore[type-arg]
    yaml, body, unterminated = split(case["input"]["text"])
    found = {"yaml": yaml, "body": body, "unterminated": unterminated}
    assert found == {key: case["expect"].get(key, found[key]) for key in found}


def head(slug: str, raw: str) -> PageHead:
    return describe(parse(slug, raw), raw.encode(), rev=3, modified_ms=7, previous=None)


def test_what_people_wrote_keeps_its_bytes() -> None:
    assert render(parse("allotment", PEOPLE_S)) == PEOPLE_S


def test_the_catalogue_s_line_of_a_page() -> None:
    found = head("allotment", PEOPLE_S)
    assert found.title == "Allotment: the south bed"
    assert found.summary == "The plot behind the line."
    assert found.tags == ("garden", "beans")
    assert found.links == ("people/rachel-kim",)
    assert [(s.key, s.passages) for s in found.sections] == [("", 1), ("Facts", 1)]
    assert (found.rev, found.units, found.parse_error) == (3, 2, "")
    assert found.fresh_ms == 1_781_049_600_000
    assert parse("allotment", PEOPLE_S).extra == {"mood": "green"}


@pytest.mark.parametrize(
    "block",
    ["title: *x*", "path: \"C:\\new\"", "title: 'x", "- [[a]]b", "a: &x [*x]", "k: " + "[" * 50 + "]" * 50],
)
def test_a_block_that_is_not_yaml_keeps_the_page_and_names_the_fault(block: str) -> None:
    raw = f"---\n{block}\n---\n\nStill here.\n"
    page = parse("broken", raw)
    assert page.problems
    assert "Still here." in page.body
    assert head("broken", raw).parse_error
    with pytest.raises(Invalid):
        parse("broken", raw, strict=True)


def test_one_bad_value_loses_only_its_key() -> None:
    page = parse("p", "---\ntitle: Good\npinned: perhaps\ntags: {a: 1}\n---\nBody.\n")
    assert page.fields == {"title": "Good"}
    assert len(page.problems) == 2


def test_an_unclosed_block_is_body_and_bad_bytes_are_replaced() -> None:
    assert parse("p", "---\ntitle: x\nBody.\n").body == "---\ntitle: x\nBody.\n"
    page = parse("p", b"Good \xff\xfe words.\n")
    assert "Good" in page.body and "words." in page.body and page.problems


def test_a_page_without_title_is_named_by_its_slug() -> None:
    assert parse("people/rachel-kim", "Text.").title == "Rachel kim"


NAMES = st.sampled_from(["title", "tags", "status", "own-key", "summary"])
TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\u2028\u2029\x85"), max_size=20
)


@given(st.dictionaries(NAMES, TEXTS.filter(str.strip), max_size=4), TEXTS)
def test_a_page_that_is_written_is_read_again(fields: dict[str, str], body: str) -> None:
    known = {k: [v] if k == "tags" else v for k, v in fields.items() if k != "own-key"}
    extra = {k: v for k, v in fields.items() if k == "own-key"}
    page = parse("p", render(Page("p", body.strip(), known, extra)), strict=True)
    assert (page.fields, page.extra) == (known, extra)
    if not body.strip().startswith("---"):
        assert page.body.strip() == body.strip()
    assert render(page) == render(parse("p", render(page)))
