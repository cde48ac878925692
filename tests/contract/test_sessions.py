import random
from dataclasses import replace

import pytest

from remembrancer.adapters.dynamodb import Expiring
from remembrancer.core.sessions import Pick, Resident, Selection, SessionRecord
from remembrancer.errors import Invalid, PreconditionFailed
from remembrancer.ports import Sessions
from tests.contract.conftest import FakeClock

DAY_MS = 24 * 3600 * 1000


@pytest.fixture
def sessions(expiring: Expiring) -> Sessions:
    return expiring.sessions


def resident(n: int) -> Resident:
    prints = (f"{n:010x}", "ffffffffff")
    return Resident(f"tea§Green tea~{n:06d}", 100 + n, 1, 2, prints=prints, entries=("01A",))


def by_unit(*residents: Resident) -> dict[str, Resident]:
    return {r.unit: r for r in residents}


def test_a_new_session_has_the_empty_record(sessions: Sessions, space: str) -> None:
    assert sessions.load(space, "s1") == SessionRecord("s1")
    assert sessions.memo(space, "s1", "t1") is None


def test_a_recorded_turn_comes_back(sessions: Sessions, space: str) -> None:
    record = SessionRecord("s1", epoch=2, updated_ms=9)
    sessions.record(space, record, [resident(1), resident(2)], turn_id="t1", reply="Grüße ☕")
    assert sessions.load(space, "s1") == replace(record, rev=1, residents=by_unit(resident(1), resident(2)))
    assert sessions.memo(space, "s1", "t1") == "Grüße ☕"
    assert sessions.memo(space, "s1", "t2") is None
    assert sessions.memo(space, "s2", "t1") is None
    assert sessions.load(f"{space}-b", "s1").rev == 0


def test_a_second_turn_adds_to_the_first(sessions: Sessions, space: str) -> None:
    sessions.record(space, SessionRecord("s1"), [resident(1), resident(2)], turn_id="t1", reply="one")
    changed = replace(resident(2), pruned=True)
    sessions.record(space, sessions.load(space, "s1"), [changed, resident(3)], turn_id="t2", reply="two")
    assert sessions.load(space, "s1").residents == by_unit(resident(1), changed, resident(3))
    assert sessions.memo(space, "s1", "t1") == "one"


@pytest.mark.parametrize("stored", [0, 1, 2])
def test_a_slower_turn_records_nothing(sessions: Sessions, space: str, stored: int) -> None:
    for n in range(stored):
        sessions.record(space, SessionRecord("s1", rev=n), [resident(n)], turn_id=f"t{n}", reply="")
    before = sessions.load(space, "s1")
    wrong = SessionRecord("s1", rev=stored - 1 if stored else 1)
    with pytest.raises(PreconditionFailed):
        sessions.record(space, wrong, [resident(9)], turn_id="slow", reply="slow")
    assert sessions.load(space, "s1") == before
    assert sessions.memo(space, "s1", "slow") is None


def test_a_turn_has_one_reply_whatever_rev_its_second_try_has_read(sessions: Sessions, space: str) -> None:
    sessions.record(space, SessionRecord("s1"), [resident(1)], turn_id="t1", reply="first")
    before = sessions.load(space, "s1")
    with pytest.raises(PreconditionFailed):
        sessions.record(space, before, [resident(2)], turn_id="t1", reply="second")
    assert sessions.load(space, "s1") == before
    assert sessions.memo(space, "s1", "t1") == "first"


@pytest.mark.parametrize("count", [90, 91, 1_300])
def test_any_number_of_residents_is_recorded_at_once(sessions: Sessions, space: str, count: int) -> None:
    many = [resident(n) for n in range(count)]
    sessions.record(space, SessionRecord("s1"), many, turn_id="t1", reply="")
    assert sessions.load(space, "s1").residents == by_unit(*many)
    pruned = [replace(one, pruned=True) for one in reversed(many)]
    sessions.record(space, sessions.load(space, "s1"), pruned, turn_id="t2", reply="")
    assert sessions.load(space, "s1").residents == by_unit(*pruned)
    again = [replace(one, last_selected_ms=99) for one in many[:5] + many[-5:]]
    sessions.record(space, sessions.load(space, "s1"), again, turn_id="t3", reply="")
    assert sessions.load(space, "s1").residents == by_unit(*pruned) | by_unit(*again)


def test_residents_of_an_older_epoch_are_dropped(sessions: Sessions, space: str) -> None:
    many = [resident(n) for n in range(120)]
    sessions.record(space, SessionRecord("s1"), many, turn_id="t1", reply="")
    fresh = replace(sessions.load(space, "s1"), epoch=2, residents={})
    sessions.record(space, fresh, [resident(3)], turn_id="t2", reply="")
    now = sessions.load(space, "s1")
    assert (now.rev, now.epoch, now.residents) == (2, 2, by_unit(resident(3)))


def test_a_session_ends_thirty_days_after_its_last_turn(sessions: Sessions, space: str, clock: FakeClock) -> None:
    sessions.record(space, SessionRecord("s1"), [resident(1)], turn_id="t1", reply="one")
    clock.now += 29 * DAY_MS
    sessions.record(space, sessions.load(space, "s1"), [resident(2)], turn_id="t2", reply="two")
    clock.now += 29 * DAY_MS
    assert sessions.load(space, "s1").rev == 2
    assert sessions.memo(space, "s1", "t1") is None
    assert sessions.memo(space, "s1", "t2") == "two"
    clock.now += 1 * DAY_MS
    assert sessions.load(space, "s1") == SessionRecord("s1")


def test_a_session_that_has_ended_begins_anew(sessions: Sessions, space: str, clock: FakeClock) -> None:
    sessions.record(space, SessionRecord("s1"), [resident(n) for n in range(100)], turn_id="t1", reply="")
    clock.now += 30 * DAY_MS
    sessions.record(space, sessions.load(space, "s1"), [resident(7)], turn_id="t2", reply="")
    now = sessions.load(space, "s1")
    assert (now.rev, now.residents) == (1, by_unit(resident(7)))


def test_a_copy_starts_a_session_with_the_record_of_another(sessions: Sessions, space: str) -> None:
    many = [resident(n) for n in range(120)]
    sessions.record(space, SessionRecord("s1", epoch=2), many, turn_id="t1", reply="")
    sessions.copy(space, "s1", "s2")
    copied = sessions.load(space, "s2")
    assert (copied.rev, copied.epoch, copied.residents) == (1, 2, by_unit(*many))
    assert sessions.memo(space, "s2", "t1") is None


def test_a_copy_leaves_a_session_that_has_a_record(sessions: Sessions, space: str) -> None:
    sessions.record(space, SessionRecord("s1"), [resident(1)], turn_id="t1", reply="")
    sessions.record(space, SessionRecord("s2"), [resident(2)], turn_id="t1", reply="")
    sessions.copy(space, "s1", "s2")
    assert sessions.load(space, "s2").residents == by_unit(resident(2))


def test_a_reply_that_no_item_can_hold_is_not_kept_but_the_turn_is(sessions: Sessions, space: str) -> None:
    noise = random.Random(1).randbytes(400_000).hex()
    sessions.record(space, SessionRecord("s1"), [resident(1)], turn_id="t1", reply=noise)
    assert sessions.memo(space, "s1", "t1") is None
    assert sessions.load(space, "s1").residents == by_unit(resident(1))
    long = "tea " * 200_000
    sessions.record(space, sessions.load(space, "s1"), [], turn_id="t2", reply=long)
    assert sessions.memo(space, "s1", "t2") == long


@pytest.mark.parametrize("bad", ["", "*", "a#T", "../x", "x" * 101])
def test_a_session_that_is_no_identifier_is_refused(sessions: Sessions, space: str, bad: str) -> None:
    with pytest.raises(Invalid) as caught:
        sessions.load(space, bad)
    assert caught.value.field == "session_id"


PICKS = (Pick("tea§Green tea~000001", "match"), Pick("01ENTRY", "buffer"))


def test_a_turn_leaves_a_selection_event_for_ninety_days(expiring: Expiring, space: str, clock: FakeClock) -> None:
    start = clock.now
    expiring.sessions.record(space, SessionRecord("s1"), [resident(1)], turn_id="t1", reply="", picks=PICKS)
    clock.now += DAY_MS
    expiring.sessions.record(space, SessionRecord("s2"), [], turn_id="t1", reply="", picks=PICKS[:1])
    expiring.sessions.record(space, SessionRecord("s3"), [], turn_id="t1", reply="")
    first, second = Selection(start, "s1", PICKS), Selection(clock.now, "s2", PICKS[:1])
    assert list(expiring.selections.recent(space)) == [first, second]
    assert list(expiring.selections.recent(f"{space}-b")) == []
    clock.now = start + 90 * DAY_MS
    assert list(expiring.selections.recent(space)) == [second]
    assert [pick.slug for pick in PICKS] == ["tea", ""]


def test_a_slower_turn_leaves_no_selection_event(expiring: Expiring, space: str) -> None:
    with pytest.raises(PreconditionFailed):
        expiring.sessions.record(space, SessionRecord("s1", rev=4), [], turn_id="t", reply="", picks=PICKS)
    assert list(expiring.selections.recent(space)) == []
