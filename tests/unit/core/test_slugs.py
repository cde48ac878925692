import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.slugs import check_identifier, check_slug, is_reserved, is_slug, slugify
from remembrancer.errors import Invalid
from tests.golden import cases

# the fallback of an unusable title is `page-` and a hash here
OURS = re.compile(r"page-[0-9a-f]{8}")


@pytest.mark.parametrize("case", cases("page_slugs"), ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    given_, expect = case["input"], case["expect"]
    if given_["op"] == "is_valid":
        assert is_slug(given_["slug"]) is expect
    elif given_["op"] == "is_reserved":
        assert is_reserved(given_["slug"]) is expect
    elif case["mode"] != "faithful":
        found = slugify(given_["text"])
        assert OURS.fullmatch(found) if isinstance(expect, dict) else found == expect


@given(st.text(max_size=300))
def test_every_text_has_a_slug(text: str) -> None:
    found = slugify(text)
    assert is_slug(found)
    assert "/" not in found


@pytest.mark.parametrize(
    "text", ["", "a/", "/a", "A", "a//b", "-a", "a" * 81, "a/" * 100 + "a", "a\n", "ä", "a b"]
)
def test_a_text_that_is_no_slug(text: str) -> None:
    assert not is_slug(text)


@pytest.mark.parametrize("name", ["*", "%", "..", "a/b", "", " ", "a b", "x" * 101, "-a", "ä", "a\n", "a\u0000"])
def test_an_identifier_is_a_literal(name: str) -> None:
    with pytest.raises(Invalid):
        check_identifier(name, "session_id")
    assert check_identifier("a-B_9" + "x" * 95, "session_id")


def test_marks_are_stripped_and_runs_become_one_dash() -> None:
    assert slugify("Crème brûlée, No. 2") == "creme-brulee-no-2"
    assert slugify("x" * 79 + " yz") == "x" * 79
    assert slugify("日本") != slugify("東京")


@pytest.mark.parametrize("slug", ["archive/2026", "views/recent", "skills/x", "cli-commands/memory", "skills"])
def test_the_service_s_own_folders_are_reserved(slug: str) -> None:
    assert is_reserved(slug)
    assert not is_reserved(f"my-{slug}")


def test_a_bad_slug_names_its_field() -> None:
    assert check_slug("people/anna") == "people/anna"
    with pytest.raises(Invalid) as refused:
        check_slug("People/Anna")
    assert refused.value.field == "slug"
