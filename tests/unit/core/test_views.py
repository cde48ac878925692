import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.entries import Entry
from remembrancer.core.views import (
    ESSENTIALS_CHARS,
    FACTS_CHARS,
    FACTS_LINES,
    RECENT_CHARS,
    THREADS_CHARS,
    build,
    essentials,
    facts,
    keep,
    recent,
    stamped,
    threads,
    without_stamp,
)

HOUR_MS = 3_600_000
NOW = 1_785_938_400_000  # 2026-08-05 14:00 UTC


def entry(n: int, text: str, kind: str = "semantic", *, hours_ago: float = 1, **fields: object) -> Entry:
    made = Entry(f"01K1{n:022d}", text, kind=kind, at_ms=int(NOW - hours_ago * HOUR_MS))
    return replace(made, **fields)  # type: ignore[arg-type]


def test_recent_has_today_in_full_and_one_line_each_of_yesterday() -> None:
    entries = [
        entry(1, "Long ago", hours_ago=40),
        entry(2, "Called the bank\nThey close at six", hours_ago=20),
        entry(3, "Bought bread\nand milk", hours_ago=2),
        entry(4, "Had lunch", hours_ago=1),
        entry(5, "Never mind", superseded_by="x"),
    ]
    assert recent(entries, NOW, "UTC") == (
        "### Today (2026-08-05)\n\n- Had lunch\n- Bought bread\n  and milk\n\n"
        "### Yesterday (2026-08-04)\n\n- Called the bank \u2026\n"
    )


def test_recent_follows_the_zone() -> None:
    late = [entry(1, "Late call", hours_ago=15)]  # 23:00 UTC of the day before
    assert "Yesterday" in recent(late, NOW, "UTC")
    assert "Today" in recent(late, NOW, "Europe/Berlin")


def test_essentials_are_grouped_by_page_with_the_weightiest_first() -> None:
    entries = [
        entry(1, "Likes tea", filed_to=("people/anna",), importance=0.4),
        entry(2, "Allergic to peanuts", filed_to=("people/anna",), importance=0.9),
        entry(3, "Rent is due on the first", filed_to=("notes/semantic/2026-08",), importance=0.95),
        entry(4, "Not filed", importance=0.1),
    ]
    assert essentials(entries, titles={"notes/semantic/2026-08": "Facts of August 2026"}) == (
        "### [[notes/semantic/2026-08|Facts of August 2026]]\n\n- Rent is due on the first\n\n"
        "### [[people/anna|Anna]]\n\n- Allergic to peanuts\n- Likes tea\n\n"
        "### Not filed yet\n\n- Not filed\n"
    )


def test_pins_and_recall_use_raise_a_fact() -> None:
    entries = [entry(1, "plain"), entry(2, "used"), entry(3, "pinned", pinned=True)]
    found = essentials(entries, uses={entries[1].id: 5})
    assert found.index("pinned") < found.index("used") < found.index("plain")


def test_threads_hold_what_is_ahead_by_day_and_open_goals_without_a_day() -> None:
    entries = [
        entry(1, "Wants to learn Spanish"),
        entry(2, "Dentist on 2026-09-01"),
        entry(3, "Visa runs out 2026-08-20: renew it"),
        entry(4, "Met the team on 2026-07-01 to plan"),
        entry(5, "Plan finished"),
        entry(6, "Likes tea"),
        entry(7, "Flight to Rome", "episodic", hours_ago=-48),
    ]
    assert threads(entries, now_ms=NOW, zone="UTC") == (
        "### Coming up\n\n- 2026-08-07: Flight to Rome\n- 2026-08-20: Visa runs out 2026-08-20: renew it\n"
        "- 2026-09-01: Dentist on 2026-09-01\n\n### Open\n\n- Wants to learn Spanish\n"
    )


def test_the_facts_block_takes_personal_pages_and_recalled_facts_only() -> None:
    entries = [
        entry(1, "Likes tea", filed_to=("people/anna",)),
        entry(2, "Server runs Linux", filed_to=("servers",)),
        entry(3, "Invoices go to Tom", filed_to=("billing",)),
        entry(4, "Ran today", "episodic", filed_to=("people/anna",)),
    ]
    assert facts(entries, uses={entries[2].id: 3}) == "- Invoices go to Tom\n- Likes tea\n"


def test_a_view_shows_when_and_by_which_run_and_is_kept_without_news() -> None:
    old = stamped("- a\n", NOW, "01RUN")
    assert old == "- a\n\n_Written 2026-08-05 14:00 UTC by run 01RUN_\n"
    assert without_stamp(old) == "- a"
    assert keep(old, stamped("- a\n", NOW + HOUR_MS, "02RUN")) == old
    news = stamped("- b\n", NOW + HOUR_MS, "02RUN")
    assert keep(old, news) == news
    assert stamped("", NOW, "01RUN") == ""


def test_no_view_passes_its_cap_and_bullets_are_whole() -> None:
    text = "Wants to remember this rather long line about many things " * 3
    many = [entry(n, f"{text}{n}", filed_to=(f"people/p{n % 7}",)) for n in range(900)]
    found = build(many, now_ms=NOW, zone="UTC", run="01RUN" * 5)
    caps = {"essentials": ESSENTIALS_CHARS, "threads": THREADS_CHARS, "recent": RECENT_CHARS, "facts": FACTS_CHARS}
    assert found.keys() == caps.keys()
    for name, cap in caps.items():
        assert cap * 0.8 < len(found[name]) <= cap
        assert all(
            row.startswith(("### ", "_Written")) or row[-1].isdigit() for row in found[name].split("\n") if row
        )
    short = [entry(n, "x", filed_to=("people/p",)) for n in range(900)]
    assert len(build(short, now_ms=NOW, zone="UTC", run="01RUN")["facts"].split("\n")) <= FACTS_LINES


@given(st.lists(st.sampled_from(["Likes tea", "Plans a trip", "Due 2026-08-09"]), max_size=8), st.integers())
def test_views_do_not_depend_on_the_order_of_entries(texts: list[str], seed: int) -> None:
    entries = [entry(n, text, filed_to=("people/anna",), importance=0.5) for n, text in enumerate(texts)]
    shuffled = list(entries)
    random.Random(seed).shuffle(shuffled)
    assert build(shuffled, now_ms=NOW, zone="UTC", run="R") == build(entries, now_ms=NOW, zone="UTC", run="R")
