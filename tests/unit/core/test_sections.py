import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.sections import key_title, section_keys, sections
from tests.golden import cases

ULID = "01JDZZ3Q4R5S6T7V8W9X0Y1Z2A"
OTHER = "01JDZZ3Q4R5S6T7V8W9X0Y1Z2B"


def shown(body: str) -> list[list[str]]:
    return [[passage.text for passage in part.passages] for part in sections(body)]


@pytest.mark.parametrize("case", cases("sections", "faithful", "improved", "both"), ids=lambda c: c["name"])
def test_golden(case: dict) -> None:  # type: ignore[type-arg]
    given_, expect = case["input"], case["expect"]
    if given_["op"] == "section_keys":
        assert section_keys(given_["titles"]) == expect
    elif given_["op"] == "section_key_title":
        assert key_title(given_["key"]) == expect
    elif given_["op"] == "index_sections" and not case["name"].endswith("_faithful"):
        # the seed's section text carries its head line; here the heading stands apart
        parts = sections(given_["body"])
        assert [(p.ordinal, p.heading) for p in parts] == [(e["ordinal"], e["title"].strip()) for e in expect]
        for part, wanted in zip(parts, expect, strict=True):
            assert part.text.strip() == wanted["text"].partition("\n")[2].strip()


def test_items_and_paragraphs_are_passages_in_order() -> None:
    body = (
        "Lead one.\n\nLead two\ngoes on.\n\n## Facts\n- a\n- b\n  more of b\n\n  still b\n- c\nlazy c\n\nAfter.\n"
    )
    assert shown(body) == [
        ["Lead one.", "Lead two\ngoes on."],
        ["- a", "- b\n  more of b\n\n  still b", "- c\nlazy c", "After."],
    ]


def test_a_reference_at_a_line_s_end_is_provenance_and_not_shown() -> None:
    (lead,) = sections(f"- Tea is at four. ^{ULID} ^{OTHER}\n- 2^10 is 1024 and ^short stays\n")
    assert [p.text for p in lead.passages] == ["- Tea is at four.", "- 2^10 is 1024 and ^short stays"]
    assert [p.entries for p in lead.passages] == [(ULID, OTHER), ()]


def test_code_neither_splits_a_section_nor_a_passage() -> None:
    body = "Before.\n\n```\n## not a heading\n\n- not an item\n```\n\nAfter.\n"
    assert shown(body) == [["Before.", "```\n## not a heading\n\n- not an item\n```", "After."]]


def test_a_long_passage_is_cut_and_every_piece_says_what_it_belongs_to() -> None:
    body = "- The list of parts:\n" + "".join(f"  - part {n:05d}\n" for n in range(900))
    pieces = [p.text for p in sections(body)[0].passages]
    assert len(pieces) == 3
    assert all(len(piece) <= 6_000 and piece.startswith("- The list of parts:\n") for piece in pieces)
    assert sum(piece.count("part 0") for piece in pieces) == 900


@given(st.text(alphabet=st.sampled_from("ab#- \n`*1.^\u2028\t"), max_size=200))
def test_sections_cover_the_body(body: str) -> None:
    parts = sections(body)
    lines = body.split("\n")
    assert sum(len(part.text.split("\n")) if part.text or part.ordinal == 0 else 0 for part in parts) <= len(lines)
    kept = "".join(part.heading + part.text for part in parts)
    for letter in "ab":
        assert kept.count(letter) == body.count(letter)
    assert len({part.key for part in parts}) == len(parts)
