from typing import Any

import pytest

from remembrancer.core.needle import SectionIndex, terms
from tests.golden import cases

PAGES = {
    "people/anna": "Lead.\n\n## Sailing\nShe bought a boat.\n\n## Work\nboat builder of the town\n",
    "boats": "About many things\n",
    "empty": "",
}


def found(query: str, k: int = 10) -> list[tuple[str, str, int]]:
    return [(hit.slug, hit.title, hit.ordinal) for hit in SectionIndex(PAGES).search(query, k)]


@pytest.mark.parametrize("case", cases("needle_bm25f"), ids=lambda c: str(c["name"]))
def test_golden_needle(case: dict[str, Any]) -> None:
    given_ = case["input"]
    if given_["op"] == "terms":
        assert terms(given_["text"], ascii_only=True) == case["expect"]
        return
    index = SectionIndex(given_["pages"])
    if given_["op"] == "idf":
        assert index.idf(given_["term"]) == pytest.approx(case["expect"], abs=case["tolerance"])
        return
    hits = index.search(given_["query"], given_["k"])
    assert [(h.slug, h.title, h.ordinal) for h in hits] == [
        (e["article"], e["title"], e["ordinal"]) for e in case["expect"]
    ]
    assert [h.score for h in hits] == pytest.approx([e["score"] for e in case["expect"]], abs=1e-9)


def test_a_page_is_found_by_its_best_section_once() -> None:
    assert found("boat") == [("people/anna", "Sailing", 1)]
    assert found("builder of the town") == [("people/anna", "Work", 2)]


def test_a_heading_counts_more_than_a_body() -> None:
    index = SectionIndex({"a": "## Tea\nx y\n", "b": "## Other\ntea x\n"})
    assert [hit.slug for hit in index.search("tea", 5)] == ["a", "b"]


def test_an_empty_page_is_found_by_its_name() -> None:
    assert found("empty") == [("empty", "", 0)]


def test_nothing_asked_for_or_nothing_found_is_nothing() -> None:
    assert found("zebra") == found("boat", 0) == found("") == []
    assert SectionIndex({}).search("boat", 5) == []


def test_letters_of_all_languages_are_words() -> None:
    assert terms("Über 東京!") == ["über", "東京", "über_東京"]
