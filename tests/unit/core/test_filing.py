import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.entries import Entry
from remembrancer.core.filing import file_into, unfile
from remembrancer.core.pages import Page, parse, render
from remembrancer.core.place import Target
from remembrancer.core.sections import sections
from remembrancer.errors import Invalid

DAY_MS = 86_400_000
AT = 1_785_888_000_000  # 2026-08-05 00:00 UTC
ANNA = Target("people/anna", "Anna", "Facts")


def ulid(n: int) -> str:
    return f"01K1{n:022d}"


def entry(n: int, text: str, kind: str = "semantic", *, days: int = 0, importance: float | None = None) -> Entry:
    return Entry(ulid(n), text, kind=kind, at_ms=AT + days * DAY_MS + n, importance=importance)


FACTS = [
    entry(1, "Prefers tea to coffee"),
    entry(2, "Works at [[Northwind]] as a data engineer.\nShe joined in 2024.\n\nHer desk is on the third floor."),
    entry(3, "Moved to Berlin", "episodic", days=3),
    entry(4, "Passed the driving test", "episodic", days=1),
    entry(5, "To reach her: call the office first\nthen send a message", "procedural"),
    entry(6, "Allergic to peanuts", importance=0.95),
    entry(7, "Plays the cello on Sundays"),
]
LEAD = "Allergic to peanuts. Prefers tea to coffee. Works at [[Northwind]] as a data engineer."
NOTES = f"""---
title: Anna
source: consolidation
---

{LEAD} ^{ulid(6)} ^{ulid(1)} ^{ulid(2)}

## Facts

- Prefers tea to coffee ^{ulid(1)}
- Works at [[Northwind]] as a data engineer. ^{ulid(2)}
  She joined in 2024.
  Her desk is on the third floor.
- Allergic to peanuts ^{ulid(6)}
- Plays the cello on Sundays ^{ulid(7)}

## Timeline

- 2026-08-06: Passed the driving test ^{ulid(4)}
- 2026-08-08: Moved to Berlin ^{ulid(3)}

## How to

- To reach her: call the office first ^{ulid(5)}
  then send a message
"""


def test_a_new_page_reads_like_notes_that_a_person_would_keep() -> None:
    assert render(file_into(None, ANNA, FACTS)) == NOTES


def test_every_fact_is_one_passage_that_cites_its_entry() -> None:
    page = parse("people/anna", NOTES)
    cited = [p.entries for part in sections(page.body)[1:] for p in part.passages]
    assert cited == [(ulid(n),) for n in (1, 2, 6, 7, 4, 3, 5)]


def test_filing_the_same_facts_again_changes_no_byte() -> None:
    page = parse("people/anna", NOTES)
    assert render(file_into(page, ANNA, FACTS)) == NOTES
    assert render(file_into(page, ANNA, FACTS[::-1])) == NOTES
    assert render(file_into(page, ANNA, [])) == NOTES


def test_a_page_filed_in_two_runs_equals_one_filed_at_once() -> None:
    first = parse("people/anna", render(file_into(None, ANNA, FACTS[:4])))
    known = {one.id: one for one in FACTS[:4]}
    assert render(file_into(first, ANNA, FACTS[4:], known=known)) == NOTES


def test_the_lead_is_chosen_from_all_facts_of_the_page_when_they_are_known() -> None:
    page = parse("people/anna", render(file_into(None, ANNA, FACTS)))
    known = {one.id: one for one in FACTS}
    more = entry(8, "Speaks Danish", importance=0.7)
    lead = file_into(page, ANNA, [more], known=known).body.split("\n")[0]
    assert lead.startswith("Allergic to peanuts. Speaks Danish. Prefers tea to coffee. ^")


def test_so_few_facts_that_a_lead_would_only_repeat_them_have_none() -> None:
    page = file_into(None, ANNA, [FACTS[0], FACTS[1], FACTS[5]])
    assert page.body.startswith("## Facts")
    assert file_into(page, ANNA, [FACTS[6]]).body.startswith("Prefers tea to coffee. ")


def test_a_page_of_a_month_has_no_subject_and_no_lead() -> None:
    page = file_into(None, Target("notes/semantic/2026-08", "Facts of August 2026", "Facts"), FACTS)
    assert page.body.startswith("## Facts")


def test_a_page_does_not_link_to_itself() -> None:
    rows = [entry(1, "[[people/anna]] cooks; see [[kitchen]]. [[people/anna]]"), entry(2, "Met [[Anna|her]]")]
    page = replace(file_into(None, Target("people/anna", "Anna", "Facts"), rows), slug="people/anna")
    again = file_into(Page("people/anna", "", {"title": "Anna"}), ANNA, rows)
    assert f"- Anna cooks; see [[kitchen]]. ^{ulid(1)}\n- Met her ^{ulid(2)}\n" in page.body
    assert again.body == page.body


def test_a_fact_that_contradicts_an_older_one_stands_above_it_and_both_are_dated() -> None:
    old, new = entry(1, "Office hours end at 5"), entry(2, "Office hours end at 6", days=2)
    page = file_into(file_into(None, ANNA, [old, FACTS[5]]), ANNA, [])
    known = {old.id: replace(old, conflicts=(new.id,)), FACTS[5].id: FACTS[5]}
    filed = file_into(page, ANNA, [replace(new, conflicts=(old.id,))], known=known)
    assert filed.body == (
        f"## Facts\n\n- Office hours end at 6 (noted 2026-08-07) ^{ulid(2)}\n"
        f"- Office hours end at 5 (noted 2026-08-05) ^{ulid(1)}\n- Allergic to peanuts ^{ulid(6)}\n"
    )
    assert unfile(filed, [new.id], known={old.id: old}).body == page.body


def test_contradicting_facts_of_one_day_are_a_series_and_stay_in_order() -> None:
    rows = [entry(n, f"Pier {n} is sound", days=0) for n in (1, 2)]
    rows = [replace(rows[0], conflicts=(ulid(2),)), replace(rows[1], conflicts=(ulid(1),))]
    body = file_into(None, ANNA, rows).body
    assert body == f"## Facts\n\n- Pier 1 is sound ^{ulid(1)}\n- Pier 2 is sound ^{ulid(2)}\n"


def test_events_of_one_day_stand_in_the_order_of_their_time() -> None:
    late = replace(entry(1, "Dinner", "episodic"), at_ms=AT + 20 * 3_600_000)
    early = replace(entry(2, "Breakfast", "episodic"), at_ms=AT + 7 * 3_600_000)
    page = file_into(file_into(None, ANNA, [late]), ANNA, [early], known={late.id: late})
    assert page.body.index("Breakfast") < page.body.index("Dinner")


def test_a_fact_cannot_begin_a_heading_or_a_list() -> None:
    page = file_into(None, ANNA, [entry(1, "# Shopping"), entry(2, "- milk"), entry(3, "1. first")])
    assert page.body == (
        f"## Facts\n\n- \\# Shopping ^{ulid(1)}\n- \\- milk ^{ulid(2)}\n- 1\\. first ^{ulid(3)}\n"
    )


def test_a_superseded_fact_leaves_the_page_and_the_lead() -> None:
    more = file_into(parse("people/anna", NOTES), ANNA, [entry(8, "Speaks Danish")])
    page = unfile(more, [ulid(6), ulid(3), ulid(4)])
    assert "peanuts" not in page.body
    assert "## Timeline" not in page.body
    assert page.body.startswith("Prefers tea to coffee. Works at [[Northwind]] as a data engineer. Plays")
    assert unfile(page, [ulid(6)]) == page


def test_a_lead_that_a_person_touched_is_theirs() -> None:
    page = parse("people/anna", NOTES.replace("Allergic to peanuts. Prefers", "Severe allergy! Prefers"))
    filed = file_into(page, ANNA, [entry(8, "Deputy head of the team", importance=1.0)])
    assert filed.body.lstrip().startswith("Severe allergy! Prefers tea")
    assert "- Deputy head of the team" in filed.body
    gone = parse("people/anna", NOTES.replace(NOTES.split("\n\n")[1] + "\n\n", ""))
    assert file_into(gone, ANNA, []).body.lstrip().startswith("## Facts")


HUMAN = """Intro by Bob.

## Facts

Some prose here.

* a star bullet
* another

### At work

- below a sub-heading

## Timeline

- 2026-08-01: began
- 2026-09-01: ended

## Other
bla
"""


def test_on_a_page_of_a_person_facts_join_the_lists_and_nothing_else_changes() -> None:
    page = file_into(Page("projects/x", HUMAN, {"title": "X"}), ANNA, [FACTS[0], FACTS[3]])
    expected = HUMAN.replace("* another\n", f"* another\n* Prefers tea to coffee ^{ulid(1)}\n").replace(
        "began\n", f"began\n- 2026-08-06: Passed the driving test ^{ulid(4)}\n"
    )
    assert page.body == expected
    assert page.fields == {"title": "X"}
    assert unfile(page, [ulid(1), ulid(4)]).body == HUMAN


def test_an_edited_fact_is_written_anew_and_a_reworded_bullet_is_left_alone() -> None:
    page = parse("people/anna", NOTES)
    changed = file_into(page, ANNA, [replace(FACTS[0], text="Prefers green tea", edited=True)])
    assert f"- Prefers green tea ^{ulid(1)}\n" in changed.body
    assert changed.body.count(ulid(1)) == 2
    reworded = parse("people/anna", NOTES.replace("- Prefers tea to coffee", "- Drinks only tea"))
    assert "- Drinks only tea" in file_into(reworded, ANNA, FACTS).body


def test_a_bullet_that_cites_two_entries_stays_until_both_are_gone_or_it_is_forgotten() -> None:
    page = Page("x", f"## Facts\n\n- both ^{ulid(1)} ^{ulid(2)}\n- other ^{ulid(3)}\n")
    assert unfile(page, [ulid(1)]).body == f"## Facts\n\n- both ^{ulid(2)}\n- other ^{ulid(3)}\n"
    assert unfile(page, [ulid(1), ulid(2)]).body == f"## Facts\n\n- other ^{ulid(3)}\n"
    assert unfile(page, [ulid(1)], whole=True).body == f"## Facts\n\n- other ^{ulid(3)}\n"


def test_a_nested_bullet_goes_alone_and_a_paragraph_goes_whole() -> None:
    page = Page(
        "x", f"## Facts\n\n- mine\n  - nested ^{ulid(1)}\n    deeper\n- stays\n\nTwo lines\nof prose ^{ulid(2)}\n"
    )
    assert unfile(page, [ulid(1)]).body == f"## Facts\n\n- mine\n- stays\n\nTwo lines\nof prose ^{ulid(2)}\n"
    assert unfile(page, [ulid(2)]).body == f"## Facts\n\n- mine\n  - nested ^{ulid(1)}\n    deeper\n- stays\n"


def test_a_text_cannot_cite_another_entry() -> None:
    page = file_into(None, ANNA, [entry(1, f"buy milk ^{ulid(9)}\nand ^{ulid(8)}")])
    cited = {id for part in sections(page.body) for p in part.passages for id in p.entries}
    assert cited == {ulid(1)}


def test_code_keeps_its_fences() -> None:
    code = entry(1, "```sh\n## not a heading\nmake release\n```")
    page = file_into(None, ANNA, [code, entry(2, "Second:\n  ```\nmake\n  ```"), entry(3, "Ran it", "episodic")])
    assert [part.heading for part in sections(page.body)] == ["", "Facts", "Timeline"]
    assert f"- Code: ^{ulid(1)}\n  ```sh\n  ## not a heading\n  make release\n  ```\n- Second:" in page.body
    assert [p.entries for p in sections(page.body)[1].passages] == [(ulid(1),), (ulid(2),)]


def test_a_fence_that_is_never_closed_swallows_nothing() -> None:
    open_ended = [entry(1, "Look:\n```\nno end"), entry(2, "~~~\nno end")]
    page = file_into(None, ANNA, [*open_ended, entry(3, "Fine", "episodic")])
    assert [part.heading for part in sections(page.body)] == ["", "Facts", "Timeline"]
    assert [p.entries for part in sections(page.body)[1:] for p in part.passages] == [
        (ulid(n),) for n in (1, 2, 3)
    ]


def test_an_event_that_names_its_day_is_not_dated_twice() -> None:
    page = file_into(None, ANNA, [entry(1, "2026-08-05: the backup ran", "episodic")])
    assert "- 2026-08-05: the backup ran ^" in page.body


def test_a_page_that_cannot_be_read_whole_is_not_rewritten() -> None:
    page = parse("x", "---\ntitle: [unclosed\n---\nbody\n")
    with pytest.raises(Invalid):
        file_into(page, ANNA, FACTS)
    assert unfile(page, [ulid(1)]) is page


def test_tags_and_kind_of_a_new_page_come_from_its_facts_and_folder() -> None:
    facts = [replace(FACTS[0], tags=("drinks", "habits")), replace(FACTS[2], tags=("drinks",))]
    page = file_into(None, Target("notes/semantic/2026-08", "Facts of August 2026", "Facts"), facts)
    assert page.fields["tags"] == ["drinks", "habits"]
    assert page.fields["kind"] == "semantic"
    assert page.title == "Facts of August 2026"


lines = st.sampled_from(
    [
        *("", "text", "- a bullet", "  nested", "* star", "## Facts", "## Other", "## Timeline", "### Sub"),
        *("1. one", "```", "- 2026-08-05: then", "- 2026-12-01: later", "> quote"),
    ]
)
bodies = st.lists(lines, max_size=14).map("\n".join)
facts = st.lists(
    st.tuples(
        st.sampled_from(
            ["Likes tea", "Two\nlines", "- dash", "# hash", "```\ncode\n```", "~~~\nopen", "x ^01K1" + "0" * 22]
        ),
        st.sampled_from(["semantic", "episodic", "procedural"]),
        st.integers(0, 3),
        st.sampled_from([None, 0.1, 0.9]),
    ),
    max_size=6,
).map(lambda rows: [entry(n + 1, t, k, days=d, importance=i) for n, (t, k, d, i) in enumerate(rows)])


@given(bodies, facts)
def test_people_lose_no_line_and_taking_the_facts_off_restores_their_text(body: str, new: list[Entry]) -> None:
    page = Page("x", body, {"title": "X"})
    filed = file_into(page, ANNA, new)
    written = [line for line in body.split("\n") if line.strip()]
    left = iter(filed.body.split("\n"))
    assert all(line in left for line in written)
    assert all(filed.body.count(e.id) == 1 for e in new)
    restored = [line for line in unfile(filed, [e.id for e in new]).body.split("\n") if line.strip()]
    empty = {"## Facts", "## Timeline", "## How to"}
    assert [r for r in restored if r not in empty] == [w for w in written if w not in empty]


@given(bodies, facts, st.integers())
def test_filing_is_idempotent_and_order_free(body: str, new: list[Entry], seed: int) -> None:
    page = parse("x", render(Page("x", body, {"title": "X"})))
    filed = render(file_into(page, ANNA, new))
    shuffled = list(new)
    random.Random(seed).shuffle(shuffled)
    assert render(file_into(page, ANNA, shuffled)) == filed
    assert render(file_into(parse("x", filed), ANNA, new)) == filed


@given(facts)
def test_a_page_of_rules_stays_theirs_through_files(new: list[Entry]) -> None:
    once = render(file_into(None, ANNA, new))
    assert render(file_into(parse("x", once), ANNA, new)) == once
    bare = unfile(parse("x", once), [e.id for e in new])
    assert bare.body.strip() == ""
