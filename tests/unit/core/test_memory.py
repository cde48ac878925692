import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remembrancer.core.choice import BUFFER, LONG_TOKENS, Candidate
from remembrancer.core.entries import Entry
from remembrancer.core.escaping import Piece, parse_block, unescape
from remembrancer.core.memory import BUFFER_MOST, LEAD, Injected, MemoryBlock, memory_block
from remembrancer.core.residency import prune, select
from remembrancer.core.sessions import MAX_KEY_BYTES, Resident, SessionRecord, line_prints, section_id
from remembrancer.core.tokens import count
from remembrancer.core.units import Unit
from tests.unit.core.test_escaping import TAG, TEXTS

AT = 1_781_101_380_000  # 2026-06-10 14:23 UTC
PLENTY = 100_000
NOTES = re.compile(r"\[(\w+ · )?dated \d{4}-\d\d-\d\d \d\d:\d\d UTC\]|\[\w+\]")


def passage(
    text: str, ordinal: int = 0, *, slug: str = "people/alice", section: str = "History", **more: object
) -> Candidate:
    lane, score = str(more.pop("lane", "match")), 1.0
    unit = Unit("passage", slug, ordinal, 1, text, text, "", "", section=section, **more)  # type: ignore[arg-type]
    return Candidate(unit, lane, score)


def raw(name: str, text: str, lane: str = "match") -> Candidate:
    return Candidate(Unit("entry", name, 0, 4, text, text, "", "", kind="semantic", at_ms=AT), lane, 1.0)


def block(
    *candidates: Candidate,
    budget: int = PLENTY,
    fresh: tuple[Entry, ...] = (),
    record: SessionRecord | None = None,
) -> MemoryBlock:
    return memory_block(candidates, fresh, record.residents if record else {}, budget)


def after(*blocks: MemoryBlock) -> SessionRecord:
    record = SessionRecord("s")
    for now, sent in enumerate(blocks):
        record, _ = select(record, sent.units, now)
    return record


def pieces(text: str) -> list[Piece]:
    if not text:
        return []
    lead, found = parse_block(text.removeprefix("<memory>\n").removesuffix("\n</memory>"))
    assert lead == LEAD
    return found


def body(piece: Piece) -> str:
    lines = piece.text.split("\n")[1:]
    return "\n".join(lines[1:] if NOTES.fullmatch(lines[0]) else lines)


def new(found: MemoryBlock) -> list[Injected]:
    return [u for u in found.units if not u.resident]


def test_a_block_has_a_lead_and_units_with_header_date_and_text() -> None:
    found = block(
        passage("- Born in Oslo.", 3, fresh_ms=AT),
        raw("01A", "Alice has a dog"),
        passage("Hi", slug="b", section=""),
    )
    assert found.text == (
        f"<memory>\n{LEAD}\n\n"
        "# memory/concepts/people/alice.md § History\n[dated 2026-06-10 14:23 UTC]\n- Born in Oslo.\n\n"
        "# memory/entries/01A\n[semantic · dated 2026-06-10 14:23 UTC]\nAlice has a dog\n\n"
        "# memory/concepts/b.md\nHi\n</memory>"
    )
    first, second, third = found.units
    assert (first.slug, first.section, first.entry, first.passages) == ("people/alice", "History", "", (3,))
    assert (second.id, second.entry, second.slug, second.entries) == ("01A", "01A", "", ("01A",))
    rendered = "# memory/concepts/b.md\nHi"
    assert (third.bytes, third.tokens, third.lane) == (len(rendered), count(rendered), "match")


def test_nothing_gives_no_block() -> None:
    assert block() == MemoryBlock("", ())
    assert block(passage(" \n ")) == MemoryBlock("", ())


def test_passages_of_a_section_come_in_document_order_with_marks_for_gaps() -> None:
    found = block(passage("- c", 7), passage("- a", 3), passage("- b", 4), passage("A paragraph", 5))
    assert found.text.split("History\n")[1] == "- a\n- b\n\nA paragraph\n…\n- c\n</memory>"
    assert [u.passages for u in found.units] == [(3, 4, 5, 7)]


def test_a_short_section_is_shown_whole_and_only_once() -> None:
    whole = "- a\n- b\n- c"
    found = block(passage("- b", 1, whole=whole), passage("- a", 0, whole=whole))
    assert [body(p) for p in pieces(found.text)] == [whole]
    assert [u.passages for u in found.units] == [()]
    again = block(passage("- c", 2, whole=whole), record=after(found))
    assert (again.text, [u.id for u in again.units]) == ("", [found.units[0].id])


def test_a_whole_section_cites_what_any_of_its_passages_cites() -> None:
    whole = passage("- a", 0, whole="- a\n- b", entries=("01A",), whole_entries=("01A", "01B"))
    found = block(whole, raw("01B", "b, as it was said"))
    assert [u.entries for u in found.units] == [("01A", "01B")]


def test_later_turns_add_only_the_other_passages_of_a_section() -> None:
    first = block(passage("- a", 0), passage("- b", 1))
    second = block(passage("- b", 1), passage("- c", 2), record=after(first))
    assert [body(p) for p in pieces(second.text)] == ["- c"]
    assert [(u.id == first.units[0].id, u.resident) for u in second.units] == [(False, False), (True, True)]
    third = block(passage("- a", 0), passage("- c", 2), record=after(first, second))
    assert third.text == ""
    assert {u.id for u in third.units} == {first.units[0].id, second.units[0].id}


def test_a_changed_passage_is_new_and_a_shifted_one_is_not() -> None:
    record = after(block(passage("- a", 0), passage("- b", 1)))
    assert [body(p) for p in pieces(block(passage("- b, now", 5), passage("- a", 4), record=record).text)] == [
        "- b, now"
    ]


def test_a_grown_short_section_adds_only_what_is_new() -> None:
    record = after(block(passage("- a", 0, whole="- a\n- b")))
    grown = "- a\n- b\n- c"
    found = block(*(passage(line, n, whole=grown) for n, line in enumerate(grown.split("\n"))), record=record)
    assert [body(p) for p in pieces(found.text)] == ["- c"]


def test_what_was_pruned_comes_again() -> None:
    first = block(passage("- a", 0))
    record, _ = prune(after(first), [first.units[0].id])
    assert block(passage("- a", 0), record=record).text == first.text


def test_another_section_with_the_same_text_is_new_in_a_later_turn() -> None:
    record = after(block(passage("- Born 1980", 0)))
    assert block(passage("- Born 1980", 0, slug="people/bob"), record=record).text


def test_passages_and_entries_alternate_where_both_match() -> None:
    found = block(
        passage("p1", 0, slug="p1"),
        passage("p2", 0, slug="p2"),
        raw("01A", "e1"),
        raw("01B", "e2"),
        raw("01C", "e3"),
    )
    assert [u.slug or u.entry for u in found.units] == ["p1", "01A", "p2", "01B", "01C"]


def test_an_entry_first_stays_first_and_other_lanes_keep_their_place() -> None:
    found = block(
        passage("core", slug="core", lane="core"),
        raw("01A", "e1"),
        raw("01B", "e2"),
        passage("hot", slug="hot", lane="hot"),
        passage("p", slug="p"),
    )
    assert [u.slug or u.entry for u in found.units] == ["core", "01A", "p", "hot", "01B"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_entry_and_the_passage_that_cites_it_are_one_fact(order: tuple[int, int]) -> None:
    both = (passage("Alice moved to Lisbon", entries=("01A",)), raw("01A", "i moved to lisbon"))
    assert len(block(*(both[n] for n in order)).units) == 1


def test_a_cited_entry_of_an_earlier_turn_is_in_the_conversation() -> None:
    first = block(passage("Alice moved to Lisbon", entries=("01A",)))
    again = block(raw("01A", "i moved to lisbon"), record=after(first))
    assert (again.text, [(u.id, u.slug, u.resident) for u in again.units]) == (
        "",
        [(first.units[0].id, "people/alice", True)],
    )
    back = block(passage("Moved", entries=("01A",)), record=after(block(raw("01A", "i moved"))))
    assert (back.text, [(u.id, u.entry) for u in back.units]) == ("", [("01A", "01A")])


def test_a_passage_that_cites_more_than_was_seen_is_new() -> None:
    record = after(block(raw("01A", "i moved")))
    assert block(passage("Moved, then married", entries=("01A", "01B")), record=record).text


def test_the_same_text_comes_once_whatever_its_case_and_marks() -> None:
    found = block(passage("- Likes  TEA.", 0), raw("01A", "likes tea."), passage("* likes tea.", 0, slug="b"))
    assert len(found.units) == 1


def test_what_is_resident_takes_its_share_of_the_budget() -> None:
    many = [passage(f"- fact number {n} of many", n, slug=f"p{n}") for n in range(40)]
    first = block(*many, budget=300)
    again = block(*many, budget=300, record=after(first))
    assert 0 < len(first.units) < 40
    assert {u.id for u in new(first)}.isdisjoint(u.id for u in new(again))
    assert len(again.units) <= len(first.units) + 1


def test_a_resident_without_prints_holds_the_whole_entry() -> None:
    record = SessionRecord("s", residents={"01A": Resident("01A", 0, 1, 1, entries=("01A",))})
    found = block(raw("01A", "a fact"), record=record)
    assert (found.text, [u.resident for u in found.units]) == ("", [True])


def test_what_does_not_fit_is_shown_by_its_first_lines_and_later_continued() -> None:
    long = "\n".join(f"- line number {n} of a long passage" for n in range(30))
    first = block(passage(long), budget=200)
    shown = body(pieces(first.text)[0]).split("\n")
    assert (shown[-1], long.startswith("\n".join(shown[:-1]) + "\n")) == ("…", True)
    second = block(passage(long), record=after(first))
    rest = body(pieces(second.text)[0]).split("\n")
    assert (rest[0], "\n".join(shown[:-1] + rest[1:])) == ("…", long)
    assert block(passage(long), record=after(first, second)).text == ""


def test_a_long_passage_leaves_room_for_others_and_goes_on_later() -> None:
    long = raw("01A", "\n".join(f"line number {n} of a long story" for n in range(300)))
    first = block(long, raw("01B", "short"))
    assert [u.entry for u in first.units] == ["01A", "01B"]
    assert LONG_TOKENS - 20 < first.units[0].tokens < LONG_TOKENS + 60
    second = block(long, record=after(first))
    shown = body(pieces(first.text)[0]).split("\n")[:-1] + body(pieces(second.text)[0]).split("\n")[1:-1]
    assert "\n".join(shown) == "\n".join(long.unit.shown.split("\n")[: len(shown)])


def test_a_section_that_does_not_fit_whole_gives_its_passage() -> None:
    whole = "- a\n" + "\n".join(f"- line number {n} with some words" for n in range(20))
    found = block(passage("- a", 0, whole=whole), budget=80)
    assert [(body(p), u.passages) for p, u in zip(pieces(found.text), found.units, strict=True)] == [("- a", (0,))]


def test_a_first_line_that_is_very_long_comes_last() -> None:
    huge = raw("01A", "word " * (LONG_TOKENS + 10))
    assert [u.entry for u in block(huge, raw("01B", "short"), budget=300).units] == ["01B"]
    assert [u.entry for u in block(huge, raw("01B", "short"), budget=PLENTY).units] == ["01B", "01A"]


def test_new_entries_come_first_newest_first_and_once() -> None:
    fresh = (Entry("01A", "old news", at_ms=AT), Entry("01B", "new\nnews", kind="episodic", at_ms=AT))
    found = block(passage("p"), raw("01B", "new\nnews"), fresh=fresh)
    assert [u.slug or u.entry for u in found.units] == ["01B", "01A", "people/alice"]
    assert [u.lane for u in found.units] == [BUFFER, BUFFER, "match"]
    assert "# memory/entries/01B\n[episodic · dated 2026-06-10 14:23 UTC]\nnew\nnews\n" in found.text
    assert block(fresh=fresh, record=after(found)) == MemoryBlock("", ())


def test_new_entries_are_short_and_not_too_many() -> None:
    long = Entry("01Z", "\n".join(f"line {n} of a long story" for n in range(100)))
    found = block(fresh=(long, *(Entry(f"01{n:02}", f"fact {n}") for n in range(40))))
    assert [u.entry for u in found.units][:2] == ["01Z", "0139"]
    assert len(found.units) == BUFFER_MOST
    assert found.units[0].tokens < 250
    assert body(pieces(found.text)[0]).endswith("\n…")
    rest = block(raw("01Z", long.text), record=after(found))
    assert body(pieces(rest.text)[0]).startswith("…\nline ")


def test_a_new_entry_of_one_huge_line_is_announced_and_can_be_opened() -> None:
    found = block(fresh=(Entry("01A", "word " * 3_000),))
    assert [body(p) for p in pieces(found.text)] == ["…"]
    assert block(raw("01A", "word " * 3_000), record=after(found)).text


def test_a_long_key_makes_a_short_id() -> None:
    assert len(section_id("s", "é" * MAX_KEY_BYTES).encode()) < 100
    assert section_id("s", "K") == "s§K"
    resident = Resident(f"{section_id('a/b', 'x ~ y')}~123", 1, 1, 1)
    assert (resident.section, resident.parent) == ("a/b§x ~ y", "a/b")


def test_an_unwritable_date_is_left_out() -> None:
    assert "dated" not in block(passage("x", fresh_ms=10**18)).text


WORDS = st.lists(
    st.sampled_from(("tea", "Lisbon", "漢字", "- moved", "two\nlines", "x " * 30)), min_size=1, max_size=8
)
PLAIN = st.one_of(TEXTS, WORDS.map(" ".join))
SLUGS = st.sampled_from(("a", "b", "c/d"))


@st.composite
def stores(draw: st.DrawFn) -> list[Candidate]:
    """Candidates of a small store that agrees with itself: an ordinal has one text and one section."""
    texts = draw(st.lists(PLAIN, min_size=1, max_size=10))
    short = draw(st.booleans())
    found: list[Candidate] = []
    for slug in ("a", "b/c"):
        sections = [texts[n : n + 3] for n in range(0, len(texts), 3)]
        for number, section in enumerate(sections):
            whole = "\n".join(section) if short and number % 2 else ""
            found += [
                passage(text, number * 3 + n, slug=slug, section=f"S{number}" * (number > 0), whole=whole)
                for n, text in enumerate(section)
            ]
    found += [raw(f"01{n}", text) for n, text in enumerate(texts)]
    return draw(st.permutations(found))


FRESH = st.lists(PLAIN, max_size=4).map(lambda texts: [Entry(f"02{n}", text) for n, text in enumerate(texts)])


@given(stores(), FRESH, st.integers(-5, 1500))
def test_a_block_never_exceeds_its_budget(candidates: list[Candidate], fresh: list[Entry], budget: int) -> None:
    found = memory_block(candidates, fresh, {}, budget)
    assert count(found.text) <= max(budget, 0)


@given(stores(), FRESH, st.integers(0, 600), st.integers(0, 600))
def test_a_larger_budget_only_adds_text(
    candidates: list[Candidate], fresh: list[Entry], low: int, more: int
) -> None:
    small, large = (memory_block(candidates, fresh, {}, budget) for budget in (low, low + more))
    kept = {p for u in large.units for p in u.prints}
    assert {p for u in small.units for p in u.prints if p in all_lines(candidates, fresh)} <= kept


def all_lines(candidates: list[Candidate], fresh: list[Entry]) -> set[str]:
    texts = [c.unit.shown for c in candidates] + [e.text for e in fresh]
    return {p for text in texts for p in line_prints(text)}


@given(stores(), FRESH, TEXTS, TEXTS)
def test_no_text_closes_the_block_or_forges_a_unit_and_all_can_be_read_back(
    candidates: list[Candidate], fresh: list[Entry], key: str, slug: str
) -> None:
    hostile = passage("body", 0, slug=slug or "s", section=key)
    found = memory_block([hostile, *candidates], fresh, {}, PLENTY)
    assert found.text.count("</memory>") == found.text.count("<memory>") == 1
    assert not TAG.search(found.text.removeprefix("<memory>").removesuffix("</memory>"))
    parsed = pieces(found.text)
    assert len(parsed) == len(found.units)
    shown = {(c.unit.parent, c.unit.ordinal): c.unit for c in candidates}
    texts = {e.id: e.text for e in fresh}
    for piece, unit in zip(parsed, found.units, strict=True):
        if unit.entry:
            assert piece.entry == unit.entry
            text = texts.get(unit.entry) or shown[unit.entry, 0].shown
            assert unescape(body(piece)) == text.strip("\r\n")
        elif unit.slug in ("a", "b/c"):
            assert (piece.slug, piece.key) == (unit.slug, unit.section)
            at = 0
            text = unescape(body(piece))
            for ordinal in unit.passages:
                part = shown[unit.slug, ordinal].shown.strip("\r\n")
                at = text.index(part, at) + len(part)


@settings(max_examples=60)
@given(stores(), st.lists(st.tuples(st.integers(60, 400), st.permutations(range(8))), min_size=2, max_size=5))
def test_no_turn_of_an_epoch_repeats_a_passage(
    candidates: list[Candidate], turns: list[tuple[int, list[int]]]
) -> None:
    record, seen = SessionRecord("s"), set[tuple[str, str]]()
    for now, (budget, order) in enumerate(turns):
        asked = [candidates[n] for n in order if n < len(candidates)]
        before = dict(record.residents)
        found = memory_block(asked, [], record.residents, budget)
        assert found == memory_block(asked, [], before, budget)
        for unit in new(found):
            sent = {c.unit.shown.strip("\r\n") for c in asked if c.unit.parent == (unit.slug or unit.entry)}
            home = unit.entry or section_id(unit.slug, unit.section)
            full = {(home, t) for t in sent if line_prints(t) and set(line_prints(t)) <= set(unit.prints)}
            ours = {
                (home, c.unit.shown.strip("\r\n"))
                for c in asked
                if c.unit.parent == (unit.slug or unit.entry) and (unit.entry or c.unit.ordinal in unit.passages)
            }
            assert not full & ours & seen
            seen |= full & ours
        record, _ = select(record, found.units, now)
        assert all(record.residents[name].bytes >= held.bytes for name, held in before.items())


def test_every_order_of_the_same_passages_makes_the_same_section() -> None:
    three = [passage("- a", 0), passage("- b", 2), passage("c", 3)]
    texts = {block(*order).text for order in itertools.permutations(three)}
    ids = {block(*order).units[0].id for order in itertools.permutations(three)}
    assert (len(texts), len(ids)) == (1, 1)
