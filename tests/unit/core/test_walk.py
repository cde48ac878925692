import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.entries import Entry
from remembrancer.core.stamps import Outcome, Stamp, apply, outcome_from, resolve
from remembrancer.core.walk import MAX_CONFLICTS, borderline, walk
from remembrancer.errors import Invalid
from tests.golden import cases

DAY_MS = 86_400_000
DARK = "The dashboard default theme is dark for the user"
LIGHT = "The dashboard default theme is light for the user"
WALKS = [
    case
    for name in ("consolidation_walk", "guarded_mode")
    for case in cases(name)
    if case["input"]["op"] == "consolidate"
]


def made(*texts: str, kind: str = "semantic", **fields: Any) -> list[Entry]:
    return [
        Entry(chr(97 + n), text, kind=kind, at_ms=n + 1, last_confirmed_ms=n + 1, **fields)
        for n, text in enumerate(texts)
    ]


def after(entries: Sequence[Entry], outcome: Outcome) -> list[Entry]:
    changed = {entry.id: entry for entry in apply(entries, outcome, "R", 10**15)}
    return [changed.get(entry.id, entry) for entry in entries]


def active(entries: Sequence[Entry], outcome: Outcome) -> list[str]:
    return sorted(entry.id for entry in after(entries, outcome) if entry.active)


@pytest.mark.parametrize("case", WALKS, ids=lambda c: c["name"])
def test_golden_walk(case: dict[str, Any]) -> None:
    # An improved case is what the default mode does, also where it was worked out for the plain rule.
    mode = "faithful" if case["mode"] == "faithful" else "guarded"
    entries = [
        Entry(item["id"], item["text"], kind=item["kind"], at_ms=item["ts"]) for item in case["input"]["items"]
    ]
    outcome, wanted = walk(entries, mode=mode), case["expect"]
    assert [{"loser": s.loser, "winner": s.winner, "rule": s.rule} for s in outcome.stamps] == wanted["stamps"]
    assert active(entries, outcome) == sorted(wanted["active"])
    assert sum(s.rule == "exact" for s in outcome.stamps) == wanted["merged"]
    assert sum(s.rule == "near" for s in outcome.stamps) == wanted["superseded"]
    assert [list(pair) for pair in outcome.conflicts] == wanted.get("deferred", [])
    assert walk(after(entries, outcome), mode=mode) == replace(Outcome(), twins=outcome.twins)


@pytest.mark.parametrize("mode", ["guarded", "faithful"])
def test_dark_light_dark_ends_dark(mode: str) -> None:
    entries = made(DARK, LIGHT, DARK)
    outcome = walk(entries, mode=mode)
    assert active(entries, outcome) == ["c"]
    assert [(s.loser, s.winner, s.rule) for s in outcome.stamps] == [("a", "b", "near"), ("b", "c", "near")]
    assert not walk(after(entries, outcome), mode=mode).stamps


def test_a_copy_is_merged_into_the_older_which_gains_its_source_and_time() -> None:
    older, newer = made("User likes coffee", "user   LIKES coffee")
    older, newer = (
        replace(older, sources=("chat",), source="chat"),
        replace(newer, source="user", sources=("user",)),
    )
    outcome = walk([older, newer])
    assert outcome.stamps == (Stamp("b", "a", "exact", 1.0, 1.0),)
    assert outcome.confirmed == (("a", "b"),)
    winner, loser = apply([older, newer], outcome, "R", 10)
    assert (winner.active, winner.sources, winner.last_confirmed_ms) == (True, ("chat", "user"), 2)
    assert (loser.superseded_by, loser.rule, loser.score, loser.filed_by) == ("a", "exact", 1.0, "R")
    assert (winner.rev, loser.rev) == (1, 1)


def test_a_near_text_supersedes_the_older_with_its_score() -> None:
    outcome = walk(made(DARK, LIGHT))
    assert outcome.stamps == (Stamp("a", "b", "near", 2 * 42 / 95, 0.82),)


def test_an_outcome_survives_the_files_of_a_run() -> None:
    outcome = walk(
        [*made(DARK, LIGHT, DARK, "Takes 5 minutes", "Takes 50 minutes"), Entry("z", DARK, "procedural")]
    )
    assert outcome.stamps
    assert outcome_from(json.loads(json.dumps(outcome.as_dict()))) == outcome
    assert outcome_from({}) == Outcome()


def test_applying_an_outcome_again_changes_nothing_and_absent_entries_are_left_out() -> None:
    entries = made(*(f"Deploys to staging take {n} minutes" for n in (5, 50, 5)))
    outcome = walk(entries)
    once = after(entries, outcome)
    assert apply(once, outcome, "R2", 10**15) == []
    assert apply(entries[:1], outcome, "R", 1)[0].conflicts == ("b",)


def test_five_fifty_five_minutes_shows_the_five() -> None:
    entries = made(*(f"Deploys to staging take {n} minutes" for n in (5, 50, 5)))
    outcome = walk(entries)
    left = [entry for entry in after(entries, outcome) if entry.active]
    assert outcome.conflicts == (("a", "b"),)
    assert max(left, key=lambda entry: entry.last_confirmed_ms).id == "a"
    assert [entry.conflicts for entry in left] == [("b",), ("a",)]


@pytest.mark.parametrize("field", ["pinned", "edited"])
def test_what_a_person_decided_is_never_stamped(field: str) -> None:
    dark, light = made(DARK, LIGHT)
    mine: dict[str, Any] = {field: True}
    outcome = walk([replace(dark, **mine), light])
    assert outcome.stamps == ()
    assert outcome.conflicts == (("a", "b"),)
    copy = walk([dark, replace(light, text=DARK, **mine)])
    assert [(s.loser, s.winner) for s in copy.stamps] == [("a", "b")]
    both = [replace(dark, **mine), replace(light, text=DARK, **mine)]
    assert walk(both) == Outcome()


def test_episodic_entries_of_different_days_stay_and_are_no_conflict() -> None:
    first, second = made("Ran ten kilometres in the park", "Ran ten kilometres in a park", kind="episodic")
    assert [s.rule for s in walk([first, second]).stamps] == ["near"]
    assert walk([first, replace(second, at_ms=DAY_MS)]) == Outcome()
    assert walk([first, replace(second, at_ms=DAY_MS)], mode="faithful").stamps


def test_equal_texts_of_two_kinds_stay_and_are_twins() -> None:
    note = made("Deploy needs two approvals")[0]
    outcome = walk([note, replace(note, id="b", kind="procedural", at_ms=2)])
    assert outcome == Outcome(twins=(("a", "b"),))


def test_an_inactive_entry_takes_no_part_and_a_repeated_id_counts_once() -> None:
    dark, light = made(DARK, LIGHT)
    assert walk([replace(dark, superseded_by="x"), light]) == Outcome()
    assert walk([dark, dark]) == Outcome()


def test_a_series_of_look_alikes_marks_a_bounded_number_of_conflicts() -> None:
    rooms = [Entry(f"{n:03d}", f"Meeting room {n:03d} on this floor has four seats", at_ms=n) for n in range(60)]
    outcome = walk(rooms)
    assert not outcome.stamps
    assert max(len(entry.conflicts) for entry in after(rooms, outcome)) == MAX_CONFLICTS
    assert walk(after(rooms, outcome)) == Outcome()


def test_a_loser_leaves_the_conflicts_of_the_others() -> None:
    entries = made("Deploys to staging take 5 minutes", "Deploys to staging take 50 minutes")
    entries = after(entries, walk(entries))
    newer = Entry("c", "Deploys to staging take 50 minutes!", at_ms=3)
    found = {e.id: e for e in after([*entries, newer], walk([*entries, newer], fresh={"c"}))}
    assert found["b"].superseded_by == "c"
    assert found["a"].conflicts == ("c",)


def test_borderline_pairs_come_best_first_and_bounded() -> None:
    entries = made("User lives in Berlin", "User lives in Munich", "The cat sleeps")
    assert borderline(entries) == [("a", "b")]
    assert borderline(entries, fresh={"c"}) == []
    assert borderline(entries, limit=0) == []


def test_a_chain_resolves_to_its_last_winner_and_a_cycle_is_refused() -> None:
    assert resolve({"a": "b", "b": "c"}, "a") == "c"
    assert resolve({}, "a") == "a"
    with pytest.raises(Invalid):
        resolve({"a": "b", "b": "a"}, "a")


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(Invalid):
        walk([], mode="loose")


texts = st.builds(
    "{} default {} is {} for the user in the{} office".format,
    st.sampled_from(["The", "the", "Any"]),
    st.sampled_from(["theme", "zone", "font 3"]),
    st.sampled_from(["dark", "light", "not dark", "Dark"]),
    st.sampled_from(["", " main", " old"]),
)
entry_lists = st.lists(
    st.tuples(
        texts,
        st.sampled_from(["semantic", "episodic"]),
        st.integers(0, 3).map(lambda n: n * DAY_MS // 2),
        st.sampled_from([False, False, False, True]),
    ),
    max_size=10,
).map(
    lambda rows: [
        Entry(f"e{n}", text, kind=kind, at_ms=at, pinned=pinned) for n, (text, kind, at, pinned) in enumerate(rows)
    ]
)
modes = st.sampled_from(["guarded", "faithful"])


@given(entry_lists, modes, st.integers())
def test_the_order_of_the_input_does_not_matter(entries: list[Entry], mode: str, seed: int) -> None:
    shuffled = list(entries)
    random.Random(seed).shuffle(shuffled)
    assert walk(shuffled, mode=mode) == walk(entries, mode=mode)


@given(entry_lists, modes)
def test_a_second_pass_changes_nothing(entries: list[Entry], mode: str) -> None:
    once = after(entries, walk(entries, mode=mode))
    again = walk(once, mode=mode)
    assert (again.stamps, again.confirmed, again.conflicts) == ((), (), ())
    assert apply(once, again, "R2", 10**15) == []


@given(entry_lists, modes)
def test_nothing_is_deleted_and_every_chain_ends_in_an_active_entry(entries: list[Entry], mode: str) -> None:
    found = {entry.id: entry for entry in after(entries, walk(entries, mode=mode))}
    assert found.keys() == {entry.id for entry in entries}
    links = {entry.id: entry.superseded_by for entry in found.values() if entry.superseded_by}
    for entry in entries:
        assert found[resolve(links, entry.id)].active
        assert found[entry.id].text == entry.text
        assert found[entry.id].active or not entry.pinned


@given(entry_lists, entry_lists, modes, st.data())
def test_the_incremental_pass_equals_the_full_one(
    old: list[Entry], new: list[Entry], mode: str, data: st.DataObject
) -> None:
    settled = [entry for entry in after(old, walk(old, mode=mode)) if entry.active]
    coming = [replace(entry, id=f"n{entry.id}") for entry in new]
    changed = data.draw(st.sets(st.sampled_from([e.id for e in settled]))) if settled else set()
    edited = [replace(e, text=data.draw(texts), edited=True) if e.id in changed else e for e in settled]
    entries = edited + coming
    fresh = {entry.id for entry in coming} | changed
    assert walk(entries, mode=mode, fresh=fresh) == replace(
        walk(entries, mode=mode), twins=walk(entries, mode=mode, fresh=fresh).twins
    )
