from datetime import UTC, datetime

from remembrancer.core.catalogue import PageHead
from remembrancer.core.entries import Entry
from remembrancer.core.pages import Page
from remembrancer.core.sections import sections
from remembrancer.core.unit_text import entry_unit, page_unit, passage_units
from remembrancer.core.units import Unit

AT = int(datetime(2023, 5, 8, 13, 56, tzinfo=UTC).timestamp() * 1000)
MAY_7 = datetime(2023, 5, 7, tzinfo=UTC).toordinal()


def entry(id: str, text: str, speaker: str = "", **fields: object) -> Entry:
    return Entry(id=id, text=text, speaker=speaker, at_ms=AT, session_id="s1", **fields)  # type: ignore[arg-type]


BEFORE = [entry("1", "Hi there.", "Anna"), entry("2", "I went out. What did you do yesterday?", "Anna")]
THIS = entry("3", "I ran with Bob yesterday. And you? [photo: a lake]", "Mel", rev=2)
AFTER = [entry("4", "Nice!", "Anna"), entry("5", "Thanks", "Mel"), entry("6", "Bye", "Anna")]


def test_an_entry_is_found_by_its_statements_behind_the_question_before_it() -> None:
    unit = entry_unit(THIS, BEFORE, AFTER)
    assert unit.embed == "What did you do yesterday? I ran with Bob yesterday. [photo: a lake]"
    assert unit.text == "What do you do yesterday? Mel: I run with Bob yesterday. [photo: a lake]"


def test_its_context_is_two_entries_on_each_side_in_full() -> None:
    unit = entry_unit(THIS, BEFORE, AFTER)
    assert unit.ctx == (
        "Anna: Hi there. Anna: I go out. What do you do yesterday? "
        "Mel: I run with Bob yesterday. And you? [photo: a lake] Anna: Nice! Mel: Thanks"
    )


def test_its_shown_text_never_changes() -> None:
    assert entry_unit(THIS, BEFORE, AFTER).shown == THIS.text


def test_its_flags_do_not_look_at_the_caption() -> None:
    unit = entry_unit(THIS, [], [])
    assert (unit.words, unit.question, unit.timed, unit.names) == (7, True, True, ("Bob",))
    assert unit.mentions == ((MAY_7, MAY_7),)
    assert unit.entities == ("Mel",)


def test_later_neighbours_make_a_newer_version_of_the_same_entry() -> None:
    revs = [entry_unit(THIS, BEFORE, AFTER[:n]).rev for n in range(4)]
    assert revs == [8, 9, 10, 10]
    assert entry_unit(entry("3", "x", rev=3), [], []).rev > revs[-1]


def test_its_group_is_the_session_or_else_the_day_in_its_zone() -> None:
    assert entry_unit(THIS, [], []).group == "s1"
    alone = Entry(id="1", text="x", at_ms=AT, zone="Pacific/Auckland")
    assert entry_unit(alone, [], []).group == "2023-05-09"


def test_an_entry_without_speaker_has_the_names_in_it_and_no_entity() -> None:
    unit = entry_unit(entry("1", "She met Bob and Carol and Bob"), [], [])
    assert (unit.names, unit.entities) == (("Bob", "Carol"), ())


BODY = """Alice leads the team.

## Timeline

- 2023-05-08: Went to Berlin yesterday. ^01H00000000000000000000001
- Bought a boat. Why?
- Sold it

## Long

"""
HEAD = PageHead("people/alice-chen", 3, title="Alice Chen", summary="She leads the platform team.", fresh_ms=AT)


def units(body: str = BODY, head: PageHead = HEAD) -> list[Unit]:
    page = Page(head.slug, body, {"title": head.title})
    return passage_units(page, sections(page.body), head)


def test_passages_are_numbered_through_the_page() -> None:
    assert [(u.ordinal, u.section) for u in units()] == [
        (0, ""),
        (1, "Timeline"),
        (2, "Timeline"),
        (3, "Timeline"),
    ]
    assert {(u.parent, u.group, u.rev, u.type) for u in units()} == {
        ("people/alice-chen", "people/alice-chen", 3, "passage")
    }


def test_a_passage_is_shown_as_it_stands_and_searched_without_mark_and_day() -> None:
    unit = units()[1]
    assert unit.shown == "- 2023-05-08: Went to Berlin yesterday."
    assert unit.embed == "Went to Berlin yesterday."
    assert unit.text == "Alice Chen: go to Berlin yesterday."
    assert unit.entries == ("01H00000000000000000000001",)
    assert unit.entities == ("Alice Chen",)
    assert unit.kind == "episodic"


def test_a_passage_that_begins_with_a_day_is_from_that_day() -> None:
    unit = units()[1]
    assert unit.at_ms == int(datetime(2023, 5, 8, 12, tzinfo=UTC).timestamp() * 1000)
    assert unit.mentions == ((MAY_7, MAY_7),)
    assert units()[2].at_ms is None


def test_the_context_of_a_passage_has_title_and_heading_in_front_and_ends_with_its_section() -> None:
    assert units()[2].ctx == "Alice Chen. Timeline. go to Berlin yesterday. buy a boat. Why? sell it"
    assert units()[0].ctx == "Alice Chen. Alice leads the team."


def test_the_question_before_a_passage_stands_in_front_of_it() -> None:
    assert units()[3].embed == "Why? Sold it"


def test_a_short_section_brings_its_whole_text_and_a_long_one_does_not() -> None:
    assert units()[1].whole.startswith("- 2023-05-08: Went")
    long = BODY + "word " * 121
    assert units(long)[-1].whole == ""
    assert units(BODY + "word " * 120)[-1].whole != ""


def test_a_page_that_is_not_named_like_a_name_has_no_entity_of_its_own() -> None:
    [unit] = units("She met Bob\n", PageHead("notes/x", 1, title="Events of May", fresh_ms=AT))
    assert (unit.text, unit.names, unit.entities) == ("She meet Bob", ("Bob",), ())


def test_a_page_as_a_whole_is_its_title_summary_and_headings() -> None:
    page = Page(HEAD.slug, BODY, {"title": HEAD.title})
    unit = page_unit(page, sections(page.body), HEAD)
    assert unit.embed == "Alice Chen. She leads the platform team. Timeline. Long."
    assert (unit.type, unit.ordinal, unit.rev, unit.shown) == ("page", -1, 3, "She leads the platform team.")


A, B = "01H00000000000000000000001", "01H00000000000000000000002"
FILED = f"""Went to Berlin ^{A} and back. ^{B}

Part of [[notes/x|Notes]].

Somebody wrote this by hand.

## Facts

- Went to Berlin ^{A}
- And back. ^{B}
- [[notes/y]]
"""


def test_a_page_made_by_rules_repeats_and_leads_on_without_stating_anything_new() -> None:
    made = units(FILED, PageHead("notes/z", 1, title="Notes", source="consolidation", fresh_ms=AT))
    assert [u.type for u in made] == ["signpost", "signpost", "passage", "passage", "passage", "signpost"]
    assert [u.ordinal for u in made] == list(range(6))


def test_on_a_hub_only_facts_are_passages() -> None:
    made = units(FILED, PageHead("notes/z", 1, kind="index", title="Notes", source="consolidation", fresh_ms=AT))
    assert [u.type for u in made] == ["signpost", "signpost", "signpost", "passage", "passage", "signpost"]


def test_on_a_page_of_anybody_else_everything_is_a_passage() -> None:
    assert {u.type for u in units(FILED)} == {"passage"}


def test_a_line_that_rules_filed_is_searched_like_its_entry_without_the_title_of_its_page() -> None:
    head = PageHead("people/alice-chen", 3, title="Alice Chen", source="consolidation", fresh_ms=AT)
    unit = units(BODY, head)[1]
    assert unit.text == "go to Berlin yesterday."
    assert (unit.ctx, unit.entities) == ("go to Berlin yesterday. buy a boat. Why? sell it", ())
    assert unit.title == "Alice Chen — Timeline"
    assert units(BODY, head)[2].text == "Alice Chen: buy a boat."


def test_a_line_is_filed_while_it_says_what_its_entry_says() -> None:
    head = PageHead("people/alice-chen", 3, title="Alice Chen", source="consolidation", fresh_ms=AT)
    page = Page(head.slug, BODY, {"title": head.title})
    id = "01H00000000000000000000001"

    def filed(head: PageHead, *known: Entry) -> bool:
        return passage_units(page, sections(page.body), head, {one.id: one for one in known})[1].filed

    assert filed(head, entry(id, "Went to Berlin yesterday."))
    assert not filed(head, entry(id, "Went to Bern yesterday."))
    assert not filed(head)
    assert not filed(HEAD, entry(id, "Went to Berlin yesterday."))
