import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.links import link_item, references, targets, wikilinks
from tests.golden import cases


@pytest.mark.parametrize("case", cases("links"), ids=lambda c: c["name"])
def test_golden(case: dict) -> None:  # type: ignore[type-arg]
    given_, expect = case["input"], case["expect"]
    if given_["op"] == "parse_link_entry":
        target, why = link_item(given_["entry"])
        assert {"target": target, "note": why or None} == expect
    elif given_["op"] == "wikilink_targets":
        assert targets(given_["text"]) == expect
    else:
        found = {
            (page["slug"], to, kind)
            for page in given_["pages"]
            for to, kind in references(page.get("links", []), page.get("body", ""), page.get("edges", []))
            if to not in given_["known"] and to != page["slug"]
        }
        assert found == {(row["from"], row["to"], row["kind"]) for row in expect}


@given(st.text(max_size=100))
def test_any_text_can_be_searched_for_links(text: str) -> None:
    assert all(target == target.strip() and target for target in wikilinks(text))
