import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.links import dangling, link_item, references, shown, targets, wikilinks
from tests.golden import cases


@pytest.mark.parametrize("case", cases("links"), ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    given_, expect = case["input"], case["expect"]
    match given_["op"]:
        case "parse_link_entry":
            target, why = link_item(given_["entry"])
            assert {"target": target, "note": why or None} == expect
        case "wikilink_targets":
            assert targets(given_["text"]) == expect
            assert wikilinks(given_["text"]) == list(dict.fromkeys(expect))
        case "dangling_links":
            pages = {
                page["slug"]: references(page.get("links", []), page.get("body", ""), page.get("edges", []))
                for page in given_["pages"]
            }
            found = dangling(pages, given_["known"])
            assert [{"from": slug, "to": to, "kind": kind} for slug, to, kind in found] == expect
        case other:
            pytest.fail(f"unknown operation {other}")


def test_a_link_is_cut_at_the_bar_and_then_at_the_hash() -> None:
    assert wikilinks("[[a|b]] [[c#d]] [[e#f|g]] [[ a/b ]] [[a]] [[|x]] [[#y]] [[]] [[x]y]]") == [
        "a",
        "c",
        "e",
        "a/b",
    ]


def test_only_the_long_dash_parts_target_and_reason() -> None:
    assert link_item(" a — b — c ") == ("a", "b — c")
    assert link_item("a - b") == ("a - b", "")
    assert link_item("x — ") == ("x", "")


def test_what_does_not_look_like_a_slug_is_no_reference() -> None:
    found = references(["b — why", "Not A Slug — n"], "[[Big Title]] [[ok]] [[ok#part]]", ["b"])
    assert found == [("b", "links"), ("ok", "wikilink"), ("b", "edges")]


def test_a_page_does_not_dangle_from_itself() -> None:
    assert dangling({"a": [("a", "wikilink"), ("gone", "links"), ("b", "edges")]}, {"b"}) == [
        ("a", "gone", "links")
    ]


def test_links_are_shown_by_name() -> None:
    assert shown("see [[a/b|x]] and [[]] [[c", str.upper) == "see A/B and [[]] [[c"


@given(st.text(st.sampled_from("[]ab|#\n "), max_size=60) | st.text(max_size=100))
def test_links_are_found_as_the_pattern_says(text: str) -> None:
    inner = (match.split("|")[0].split("#")[0].strip() for match in re.findall(r"\[\[([^\]]+)\]\]", text))
    assert targets(text) == [target for target in inner if target]


@pytest.mark.parametrize("text", ["[" * 500_000, "[[a" * 300_000, "[[]" * 300_000, "]" * 500_000])
def test_open_brackets_cost_one_pass(text: str) -> None:
    assert wikilinks(text) == []
