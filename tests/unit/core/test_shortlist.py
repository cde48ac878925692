from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.digest import row_of
from remembrancer.core.entries import Entry
from remembrancer.core.shortlist import shortlist
from remembrancer.core.views import build

DAY_MS = 86_400_000
NOW = 20_000 * DAY_MS  # 2024-10-04

texts = st.sampled_from(
    [
        "Rachel takes oat milk",
        "The report is due 2024-10-09",
        "Book the room for 2024-10-06 and 2024-11-02",
        "Wants to learn Go",
        "Wants to paint the fence: done",
        "Rachel wants to paint the garden fence",
        "The garden fence was painted and is finished",
        "The choir meets on 2024-10-08",
        "The choir meets on 2024-10-09",
        "The move was on 2023-01-01",
    ]
)
entries = st.lists(
    st.builds(
        lambda text, kind, days, weight, pinned, slug: Entry(
            "", text, kind, at_ms=NOW - days * DAY_MS // 2, importance=weight, pinned=pinned, filed_to=slug
        ),
        texts,
        st.sampled_from(["semantic", "episodic", "procedural"]),
        st.integers(-6, 40),
        st.none() | st.sampled_from([0.1, 0.5, 0.9]),
        st.sampled_from([False, False, True]),
        st.sampled_from([("people/rachel",), ("notes/a",), ()]),
    ),
    max_size=30,
)

CROWD = [
    Entry(
        f"c{n:03d}",
        f"Shelf {n} holds {n * 7} books",
        importance=1.0,
        at_ms=n * DAY_MS,
        filed_to=("notes/shelves",),
    )
    for n in range(200)
]
CROWD_ROWS = {entry.id: row_of(entry) for entry in CROWD}


def bodies(found: list[Entry]) -> dict[str, str]:
    return build(found, now_ms=NOW, zone="UTC", run="R")


@given(entries)
def test_views_of_the_shortlist_are_those_of_all_entries(found: list[Entry]) -> None:
    named = [*CROWD, *(replace(entry, id=f"e{n:02d}") for n, entry in enumerate(found))]
    short = shortlist({**CROWD_ROWS, **{e.id: row_of(e) for e in named[len(CROWD) :]}}, NOW, each=150)
    assert len(short) <= 150 + len(found)
    assert bodies([entry for entry in named if entry.id in short]) == bodies(named)


def test_it_is_bounded_and_prefers_what_matters() -> None:
    rows = {
        f"e{n:03d}": row_of(Entry("", f"Fact {n}", at_ms=n * DAY_MS, importance=n / 200, filed_by="R"))
        for n in range(200)
    }
    assert shortlist(rows, NOW, each=3) == {"e199", "e198", "e197"}
