from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from remembrancer.adapters.dynamodb import Memory
from remembrancer.adapters.dynamodb.layout import gone_key
from remembrancer.core.entries import Entry, text_hash
from remembrancer.core.stamps import restored
from remembrancer.errors import Invalid, LeaseLost, TooLarge
from remembrancer.ports import Added, Entries, Lease, Move
from tests.contract.conftest import FakeClock

Make = Callable[..., Entry]


@pytest.fixture
def entries(memory: Memory) -> Entries:
    return memory.entries


@pytest.fixture
def make(clock: FakeClock) -> Make:
    def make(text: str, **more: Any) -> Entry:
        now = clock.now_ms()
        told = {"at_ms": now, "remembered_ms": now, "last_confirmed_ms": now, **more}
        return Entry(clock.new_id(), text, **told)

    return make


@pytest.fixture
def lease(memory: Memory, space: str) -> Lease:
    return memory.leases.take(space, "run-1", "consolidation", seconds=600)


def forget(memory: Memory, space: str, text: str) -> None:
    pk, sk = gone_key(space, text_hash(text))
    memory.table.write(memory.table.put({"pk": pk, "sk": sk}))


def filed(entry: Entry, run: str = "run-1", **more: Any) -> Entry:
    return replace(entry, filed_by=run, **more)


def test_a_new_entry_comes_back_whole(entries: Entries, space: str, make: Make) -> None:
    entry = make(
        "Ann likes tea ☕",
        kind="episodic",
        zone="Europe/Berlin",
        source="chat",
        sources=("chat", "a", "b"),
        session_id="s1",
        speaker="Ann",
        category="drinks",
        importance=1.0,
        tags=("x", "y"),
        links=("tea",),
        conflicts=("01ABC",),
        pinned=True,
    )
    assert entries.add(space, [entry]) == [Added("stored", entry.id)]
    assert entries.get(space, [entry.id]) == {entry.id: entry}
    assert entries.pending(space, limit=10) == [entry]
    assert type(entries.pending(space, limit=1)[0].importance) is float


def test_a_hundred_entries_are_stored_in_order(entries: Entries, space: str, make: Make) -> None:
    new = [make(f"fact {n}") for n in range(100)]
    assert entries.add(space, new) == [Added("stored", entry.id) for entry in new]
    assert entries.pending(space, limit=1_000) == new
    assert len(entries.get(space, [entry.id for entry in new])) == 100


def test_more_than_one_page_of_the_database_is_read_whole(entries: Entries, space: str, make: Make) -> None:
    new = [make(f"{n} " + "long " * 3_000) for n in range(100)]
    entries.add(space, new)
    assert [e.id for e in entries.pending(space, limit=1_000)] == [e.id for e in new]
    assert entries.counts(space)["pending"] == 100
    assert len(list(entries.active(space, "semantic"))) == 100


def test_no_entries_are_no_work(entries: Entries, space: str) -> None:
    assert entries.add(space, []) == []
    assert entries.get(space, []) == {}
    assert entries.forgotten(space, []) == set()


def test_an_equal_text_confirms_the_live_entry(entries: Entries, space: str, make: Make, clock: FakeClock) -> None:
    first = make("Ann likes tea", source="chat", sources=("chat",))
    entries.add(space, [first])
    clock.now += 5_000
    again = make("  ann LIKES\ttea ", source="mail", sources=("mail",))
    assert entries.add(space, [again]) == [Added("duplicate", first.id)]
    live = replace(first, sources=("chat", "mail"), last_confirmed_ms=clock.now)
    assert entries.pending(space, limit=10) == [live]


def test_a_source_that_is_known_is_not_added_twice(entries: Entries, space: str, make: Make) -> None:
    first = make("Ann likes tea", source="chat", sources=("chat",))
    entries.add(space, [first])
    entries.add(space, [make("Ann likes tea", source="chat", sources=("chat",))])
    assert entries.pending(space, limit=10) == [first]


def test_the_second_of_two_equal_texts_in_one_call_is_a_duplicate(
    entries: Entries, space: str, make: Make
) -> None:
    one, other, two = make("tea"), make("coffee"), make("TEA", source="mail", sources=("mail",))
    added = entries.add(space, [one, other, two])
    assert added == [Added("stored", one.id), Added("stored", other.id), Added("duplicate", one.id)]
    assert [e.id for e in entries.pending(space, limit=10)] == [one.id, other.id]


def test_new_known_and_forgotten_texts_of_one_call_are_told_apart(
    entries: Entries, memory: Memory, space: str, make: Make
) -> None:
    known = make("known")
    entries.add(space, [known])
    forget(memory, space, "Forgotten")
    new = [make(f"fact {n}") for n in range(40)]
    call = [new[0], make("known"), *new[1:], make("forgotten"), make("fact 3")]
    assert [a.status for a in entries.add(space, call)] == [
        "stored",
        "duplicate",
        *["stored"] * 39,
        "suppressed",
        "duplicate",
    ]
    assert [e.id for e in entries.pending(space, limit=100)] == [known.id, *[e.id for e in new]]


def test_a_text_told_a_hundred_times_in_one_call_is_stored_once(
    entries: Entries, memory: Memory, space: str, make: Make
) -> None:
    new = [make("tea", kind=("semantic", "episodic")[n % 2], source=f"s{n % 3}") for n in range(100)]
    added = entries.add(space, new)
    assert [a.status for a in added] == ["stored", "stored", *["duplicate"] * 98]
    assert {a.id for a in added[0::2]} == {new[0].id}
    assert {a.id for a in added[1::2]} == {new[1].id}
    assert [set(e.sources) for e in entries.pending(space, limit=9)] == [{"s0", "s1", "s2"}] * 2
    forget(memory, space, "coffee")
    assert {a.status for a in entries.add(space, [make("coffee") for _ in range(20)])} == {"suppressed"}


def test_equal_texts_of_two_kinds_are_two_entries(entries: Entries, space: str, make: Make) -> None:
    both = [make("tea"), make("tea", kind="episodic")]
    assert [a.status for a in entries.add(space, both)] == ["stored", "stored"]


def test_equal_texts_of_two_spaces_are_two_entries(entries: Entries, space: str, make: Make) -> None:
    assert entries.add(space, [make("tea")])[0].status == "stored"
    assert entries.add(f"{space}-b", [make("tea")])[0].status == "stored"
    assert len(entries.pending(space, limit=10)) == 1


def test_the_same_entry_sent_again_is_stored_once(entries: Entries, space: str, make: Make) -> None:
    entry = make("tea")
    assert entries.add(space, [entry]) == entries.add(space, [entry]) == [Added("stored", entry.id)]
    assert entries.pending(space, limit=10) == [entry]


def test_a_too_large_entry_stops_the_whole_call(entries: Entries, space: str, make: Make) -> None:
    with pytest.raises(TooLarge):
        entries.add(space, [make("small"), make("x" * 390_000)])
    assert entries.pending(space, limit=10) == []


def test_a_lone_surrogate_is_refused(entries: Entries, space: str, make: Make) -> None:
    with pytest.raises(Invalid):
        entries.add(space, [make("good"), make("tea", source="\ud800")])
    assert entries.pending(space, limit=10) == []


@pytest.mark.parametrize("bad", ["", "*", "a/b", "..", "a#BUFFER", "%", "a b", "x" * 101])
def test_a_space_that_is_no_identifier_is_refused(entries: Entries, make: Make, bad: str) -> None:
    with pytest.raises(Invalid) as caught:
        entries.add(bad, [make("tea")])
    assert caught.value.field == "space"
    with pytest.raises(Invalid):
        entries.pending(bad, limit=1)


def test_pending_entries_go_on_after_an_id(entries: Entries, space: str, make: Make) -> None:
    new = [make(f"fact {n}") for n in range(5)]
    entries.add(space, new)
    assert entries.pending(space, limit=2, after=new[1].id) == new[2:4]
    assert entries.pending(space, limit=2, newest_first=True) == [new[4], new[3]]
    assert entries.pending(space, limit=9, newest_first=True, after=new[2].id) == [new[1], new[0]]


def test_unknown_ids_are_absent(entries: Entries, space: str, make: Make) -> None:
    entry = make("tea")
    entries.add(space, [entry])
    asked = [entry.id, entry.id, "01UNKNOWN", "", "x" * 2_000, "\ud800", "é" * 600]
    assert set(entries.get(space, asked)) == {entry.id}


def test_a_settled_entry_is_filed_and_no_longer_pending(
    entries: Entries, space: str, make: Make, lease: Lease
) -> None:
    stay, go = make("stay"), make("go")
    entries.add(space, [stay, go])
    moved = filed(go, filed_to=("drinks",))
    assert entries.settle(space, [Move(moved)], lease) == 1
    assert entries.pending(space, limit=10) == [stay]
    assert entries.get(space, [go.id, stay.id]) == {go.id: moved, stay.id: stay}


def test_settling_again_moves_nothing(entries: Entries, space: str, make: Make, lease: Lease) -> None:
    new = [make(f"fact {n}") for n in range(120)]
    entries.add(space, new)
    moves = [Move(filed(entry)) for entry in new]
    assert entries.settle(space, moves[:70], lease) == 70
    assert entries.settle(space, moves, lease) == 50
    assert entries.settle(space, moves, lease) == 0
    assert entries.pending(space, limit=10) == []
    assert entries.counts(space)["active"]["semantic"] == 120


def test_an_entry_that_another_run_has_filed_stays_as_it_is(
    entries: Entries, space: str, make: Make, lease: Lease
) -> None:
    entry = make("tea")
    entries.add(space, [entry])
    entries.settle(space, [Move(filed(entry))], lease)
    assert entries.settle(space, [Move(filed(entry, "run-2"))], lease) == 0
    assert entries.get(space, [entry.id])[entry.id].filed_by == "run-1"


def test_an_unknown_entry_is_not_filed(entries: Entries, space: str, make: Make, lease: Lease) -> None:
    entry = make("tea")
    assert entries.settle(space, [Move(filed(entry))], lease) == 0
    assert entries.get(space, [entry.id]) == {}


def test_a_duplicate_told_after_the_plan_is_not_lost(
    entries: Entries, space: str, make: Make, lease: Lease, clock: FakeClock
) -> None:
    entry = make("tea", source="chat", sources=("chat",))
    entries.add(space, [entry])
    clock.now += 1_000
    entries.add(space, [make("tea", source="mail", sources=("mail",))])
    assert entries.settle(space, [Move(filed(entry))], lease) == 1
    now = entries.get(space, [entry.id])[entry.id]
    assert (now.sources, now.last_confirmed_ms) == (("chat", "mail"), clock.now)


def test_a_duplicate_confirms_a_filed_entry(
    entries: Entries, space: str, make: Make, lease: Lease, clock: FakeClock
) -> None:
    entry = make("tea", source="chat", sources=("chat",))
    entries.add(space, [entry])
    entries.settle(space, [Move(filed(entry))], lease)
    clock.now += 1_000
    assert entries.add(space, [make("Tea", source="mail", sources=("mail",))]) == [Added("duplicate", entry.id)]
    now = entries.get(space, [entry.id])[entry.id]
    assert (now.sources, now.last_confirmed_ms, now.filed_by) == (("chat", "mail"), clock.now, "run-1")


def test_the_text_of_a_superseded_entry_may_be_stored_again(
    entries: Entries, space: str, make: Make, lease: Lease
) -> None:
    old, new = make("dark"), make("light")
    entries.add(space, [old, new])
    entries.settle(space, [Move(filed(old, superseded_by=new.id, rule="near", score=0.9))], lease)
    again = make("dark")
    assert entries.add(space, [again]) == [Added("stored", again.id)]
    assert entries.add(space, [make("light")]) == [Added("duplicate", new.id)]


def test_a_lost_fence_moves_nothing(
    entries: Entries, memory: Memory, space: str, make: Make, lease: Lease
) -> None:
    entry = make("tea")
    entries.add(space, [entry])
    memory.leases.take(space, "run-2", "consolidation", seconds=60, over="run-1")
    with pytest.raises(LeaseLost):
        entries.settle(space, [Move(filed(entry))], lease)
    with pytest.raises(LeaseLost):
        entries.settle(space, [Move(filed(entry))], replace(lease, owner="run-2"))
    assert entries.pending(space, limit=10) == [entry]


def test_a_stamp_under_a_lost_fence_changes_nothing(
    entries: Entries, memory: Memory, space: str, make: Make, lease: Lease
) -> None:
    entry = make("tea")
    entries.add(space, [entry])
    entries.settle(space, [Move(filed(entry))], lease)
    memory.leases.release(lease)
    with pytest.raises(LeaseLost):
        entries.stamp(space, [filed(entry, superseded_by="01X")], lease)
    assert entries.get(space, [entry.id])[entry.id].active


def test_a_stamp_supersedes_a_filed_entry_once(entries: Entries, space: str, make: Make, lease: Lease) -> None:
    old, new = make("dark"), make("light")
    entries.add(space, [old, new])
    entries.settle(space, [Move(filed(old)), Move(filed(new))], lease)
    stamped = filed(old, superseded_by=new.id, rule="near", score=0.85, rev=2)
    assert entries.stamp(space, [stamped], lease) == 1
    assert entries.stamp(space, [stamped], lease) == 0
    assert entries.get(space, [old.id]) == {old.id: stamped}
    assert entries.counts(space)["superseded"] == 1
    assert entries.counts(space)["active"]["semantic"] == 1
    again = make("dark")
    assert entries.add(space, [again]) == [Added("stored", again.id)]


def test_a_superseded_entry_goes_back_to_the_buffer_and_guards_its_text(
    entries: Entries, space: str, make: Make, lease: Lease
) -> None:
    old = make("dark")
    entries.add(space, [old])
    gone = filed(old, superseded_by="01X", rule="near", score=0.9)
    entries.settle(space, [Move(gone)], lease)
    assert entries.restore(space, restored(gone), lease) == 1
    assert entries.restore(space, restored(gone), lease) == 0
    assert entries.pending(space, limit=10) == [restored(gone)]
    assert entries.counts(space)["superseded"] == 0
    assert entries.add(space, [make("dark")]) == [Added("duplicate", old.id)]


def test_an_active_entry_is_not_restored(entries: Entries, space: str, make: Make, lease: Lease) -> None:
    old = make("dark")
    entries.add(space, [old])
    entries.settle(space, [Move(filed(old))], lease)
    assert entries.restore(space, restored(filed(old)), lease) == 0
    assert entries.get(space, [old.id]) == {old.id: filed(old)}


def test_a_restored_entry_guards_its_text_again(entries: Entries, space: str, make: Make, lease: Lease) -> None:
    old = make("dark")
    entries.add(space, [old])
    entries.settle(space, [Move(filed(old, superseded_by="01X"))], lease)
    assert entries.stamp(space, [filed(old, pinned=True)], lease) == 1
    assert entries.add(space, [make("dark")]) == [Added("duplicate", old.id)]
    assert entries.counts(space)["active"]["semantic"] == 1
    assert entries.counts(space)["superseded"] == 0


def test_a_restored_entry_leaves_the_guard_of_an_equal_text(
    entries: Entries, space: str, make: Make, lease: Lease
) -> None:
    old, later = make("dark"), make("dark")
    entries.add(space, [old])
    entries.settle(space, [Move(filed(old, superseded_by="01X"))], lease)
    entries.add(space, [later])
    assert entries.stamp(space, [filed(old)], lease) == 1
    assert entries.add(space, [make("dark")]) == [Added("duplicate", later.id)]


def test_a_stamp_keeps_what_a_duplicate_told(
    entries: Entries, space: str, make: Make, lease: Lease, clock: FakeClock
) -> None:
    entry = make("tea", source="chat", sources=("chat",))
    entries.add(space, [entry])
    entries.settle(space, [Move(filed(entry))], lease)
    clock.now += 1_000
    entries.add(space, [make("tea", source="mail", sources=("mail",))])
    entries.stamp(space, [filed(entry, importance=0.5)], lease)
    now = entries.get(space, [entry.id])[entry.id]
    assert (now.sources, now.last_confirmed_ms, now.importance) == (("chat", "mail"), clock.now, 0.5)


def test_a_pending_or_unknown_entry_is_not_stamped(entries: Entries, space: str, make: Make, lease: Lease) -> None:
    entry = make("tea")
    entries.add(space, [entry])
    assert entries.stamp(space, [filed(entry), filed(make("nowhere"))], lease) == 0
    assert entries.pending(space, limit=10) == [entry]


def test_counts_know_pending_lines_kinds_and_age(
    entries: Entries, space: str, make: Make, lease: Lease, clock: FakeClock
) -> None:
    assert entries.counts(space) == {
        "pending": 0,
        "lines": 0,
        "oldest_ms": 0,
        "active": {"semantic": 0, "episodic": 0, "procedural": 0},
        "superseded": 0,
    }
    first = make("one\n\n  \ntwo")
    entries.add(space, [first])
    clock.now += 1_000
    gone, event = make("gone"), make("event", kind="episodic")
    entries.add(space, [gone, event])
    entries.settle(space, [Move(filed(gone, superseded_by="01X")), Move(filed(event))], lease)
    assert entries.counts(space) == {
        "pending": 1,
        "lines": 2,
        "oldest_ms": first.remembered_ms,
        "active": {"semantic": 1, "episodic": 1, "procedural": 0},
        "superseded": 1,
    }


def listed(entries: Entries, space: str, limit: int, **how: Any) -> list[str]:
    """Texts of all pages; every page but the last is full."""
    texts: list[str] = []
    cursor = ""
    while True:
        page, cursor = entries.page(space, limit=limit, cursor=cursor, **how)
        texts += [entry.text for entry in page]
        if not cursor:
            return texts
        assert len(page) == limit


@pytest.fixture
def mixed(entries: Entries, space: str, make: Make, lease: Lease, clock: FakeClock) -> None:
    """a..f by id; by time d is the oldest; c is superseded, b filed."""
    for text, kind in zip("abcdef", ["semantic", "episodic"] * 3, strict=True):
        clock.now += 1_000
        entries.add(space, [make(text, kind=kind, **({"at_ms": 5} if text == "d" else {}))])
    b, c = entries.pending(space, limit=10)[1:3]
    entries.settle(space, [Move(filed(b)), Move(filed(c, superseded_by="01X"))], lease)


@pytest.mark.usefixtures("mixed")
@pytest.mark.parametrize("limit", [1, 2, 5, 100])
@pytest.mark.parametrize(
    ("status", "kind", "expected"),
    [
        ("active", "", "febad"),
        ("active", "episodic", "fbd"),
        ("pending", "", "feda"),
        ("pending", "semantic", "ea"),
        ("superseded", "", "c"),
        ("superseded", "episodic", ""),
        ("all", "", "fedcba"),
        ("all", "semantic", "eca"),
    ],
)
def test_a_listing_is_complete_newest_first(
    entries: Entries, space: str, status: str, kind: str, expected: str, limit: int
) -> None:
    assert "".join(listed(entries, space, limit, status=status, kind=kind)) == expected


@pytest.mark.usefixtures("mixed")
def test_a_cursor_of_another_listing_is_refused(entries: Entries, space: str) -> None:
    _, cursor = entries.page(space, status="all", limit=1)
    assert cursor.replace("-", "").replace("_", "").isalnum()
    for other, status, kind, bad in [
        (f"{space}-b", "all", "", cursor),
        (space, "pending", "", cursor),
        (space, "all", "semantic", cursor),
        (space, "all", "", "garbage"),
        (space, "all", "", cursor[:-3]),
        (space, "all", "", "é"),
    ]:
        with pytest.raises(Invalid) as caught:
            entries.page(other, status=status, kind=kind, limit=1, cursor=bad)
        assert caught.value.field == "cursor"


def test_an_unknown_status_is_refused(entries: Entries, space: str) -> None:
    with pytest.raises(Invalid) as caught:
        entries.page(space, status="lost", limit=1)
    assert caught.value.field == "status"


@pytest.mark.usefixtures("mixed")
def test_active_entries_of_a_kind_come_newest_first(entries: Entries, space: str) -> None:
    assert "".join(entry.text for entry in entries.active(space, "episodic")) == "fbd"


def test_a_session_knows_its_newest_entries_oldest_first(
    entries: Entries, space: str, make: Make, lease: Lease
) -> None:
    new = [make(f"fact {n}", session_id="s1") for n in range(4)]
    entries.add(space, [*new, make("other", session_id="s2"), make("none")])
    entries.settle(space, [Move(filed(new[2]))], lease)
    assert [e.text for e in entries.of_session(space, "s1", limit=3)] == ["fact 1", "fact 2", "fact 3"]
    assert entries.of_session(space, "s3", limit=3) == []


def test_tombstones_are_found_by_hash(entries: Entries, memory: Memory, space: str) -> None:
    forget(memory, space, "Secret")
    asked = {text_hash("secret"), text_hash("public")}
    assert entries.forgotten(space, asked) == {text_hash("SECRET")}
    assert entries.forgotten(f"{space}-b", asked) == set()
    assert entries.forgotten(space, [text_hash(str(n)) for n in range(250)] + [text_hash("secret")]) == {
        text_hash("secret")
    }


def test_changes_are_what_was_filed_stamped_or_told_again_since(
    entries: Entries, space: str, make: Make, lease: Lease, clock: FakeClock
) -> None:
    old, new, waiting = make("Tea at four"), make("Tea at five"), make("Not filed")
    entries.add(space, [old, new, waiting])
    entries.settle(space, [Move(filed(old)), Move(filed(new))], lease)
    assert {entry.id for entry in entries.changed(space, clock.now)} == {old.id, new.id}
    clock.now += 1_000
    assert list(entries.changed(space, clock.now)) == []
    entries.stamp(space, [filed(old, superseded_by=new.id, rule="near", score=0.85)], lease)
    (stamped,) = entries.changed(space, clock.now)
    assert (stamped.id, stamped.superseded_by) == (old.id, new.id)
    clock.now += 1_000
    entries.add(space, [make("tea at FIVE", source="chat"), make("not filed")])
    (told,) = entries.changed(space, clock.now)
    assert (told.id, told.sources) == (new.id, ("chat",))
    assert len(list(entries.changed(space, -5))) == 2
    assert list(entries.changed(space + "-other", 0)) == []
