import pytest

from remembrancer.adapters.dynamodb import Memory
from remembrancer.errors import Conflict, LeaseLost
from tests.contract.conftest import FakeClock


def test_a_free_lease_is_taken_with_fence_one(memory: Memory, space: str, clock: FakeClock) -> None:
    lease = memory.leases.take(space, "run-1", "consolidation", seconds=60)
    assert (lease.space, lease.owner, lease.fence, lease.purpose) == (space, "run-1", 1, "consolidation")
    assert lease.expires_s == clock.now // 1000 + 60
    assert memory.leases.current(space) == lease


def test_a_space_without_a_lease_has_no_holder(memory: Memory, space: str) -> None:
    assert memory.leases.current(space) is None


def test_a_held_lease_is_refused_with_purpose_and_since(memory: Memory, space: str, clock: FakeClock) -> None:
    memory.leases.take(space, "run-1", "consolidation", seconds=60)
    clock.now += 7_000
    with pytest.raises(Conflict, match=r"consolidation.* 7 s") as caught:
        memory.leases.take(space, "run-2", "ingest", seconds=60)
    assert caught.value.retry_after_s == 60 - 7 + 6


def test_the_same_owner_gets_its_lease_again_with_the_same_fence(
    memory: Memory, space: str, clock: FakeClock
) -> None:
    first = memory.leases.take(space, "run-1", "consolidation", seconds=60)
    clock.now += 10_000
    again = memory.leases.take(space, "run-1", "consolidation", seconds=60)
    assert again.fence == first.fence
    assert again.expires_s == first.expires_s + 10


def test_the_same_owner_keeps_its_fence_when_its_time_is_over(
    memory: Memory, space: str, clock: FakeClock
) -> None:
    first = memory.leases.take(space, "run-1", "consolidation", seconds=60)
    clock.now += 3_600_000
    assert memory.leases.take(space, "run-1", "consolidation", seconds=60).fence == first.fence


@pytest.mark.parametrize("after_end_s", [-1, 0, 5])
def test_an_expired_lease_is_kept_for_the_skew(
    memory: Memory, space: str, clock: FakeClock, after_end_s: int
) -> None:
    memory.leases.take(space, "run-1", "consolidation", seconds=60)
    clock.now += (60 + after_end_s) * 1000
    with pytest.raises(Conflict):
        memory.leases.take(space, "run-2", "consolidation", seconds=60)


def test_an_expired_lease_is_taken_over_after_the_skew(memory: Memory, space: str, clock: FakeClock) -> None:
    old = memory.leases.take(space, "run-1", "consolidation", seconds=60)
    clock.now += 66_000
    new = memory.leases.take(space, "run-2", "consolidation", seconds=60)
    assert new.fence == old.fence + 1
    with pytest.raises(LeaseLost):
        memory.leases.renew(old, seconds=60)
    memory.leases.release(old)
    assert memory.leases.current(space) == new


def test_an_expired_lease_has_no_holder(memory: Memory, space: str, clock: FakeClock) -> None:
    memory.leases.take(space, "run-1", "consolidation", seconds=60)
    clock.now += 60_000
    assert memory.leases.current(space) is None


def test_a_dead_holder_is_taken_over_at_once(memory: Memory, space: str) -> None:
    old = memory.leases.take(space, "run-1", "consolidation", seconds=60)
    with pytest.raises(Conflict):
        memory.leases.take(space, "run-2", "consolidation", seconds=60, over="run-0")
    new = memory.leases.take(space, "run-2", "consolidation", seconds=60, over="run-1")
    assert (new.owner, new.fence) == ("run-2", old.fence + 1)


def test_a_fence_never_goes_back_after_a_release(memory: Memory, space: str) -> None:
    fences = []
    for owner in ("run-1", "run-1", "run-2"):
        lease = memory.leases.take(space, owner, "ingest", seconds=60)
        fences.append(lease.fence)
        memory.leases.release(lease)
        assert memory.leases.current(space) is None
    assert fences == [1, 2, 3]


def test_a_released_lease_cannot_be_renewed(memory: Memory, space: str) -> None:
    lease = memory.leases.take(space, "run-1", "ingest", seconds=60)
    memory.leases.release(lease)
    with pytest.raises(LeaseLost):
        memory.leases.renew(lease, seconds=60)
    memory.leases.release(lease)


def test_a_renewed_lease_lasts_longer(memory: Memory, space: str, clock: FakeClock) -> None:
    lease = memory.leases.take(space, "run-1", "ingest", seconds=60)
    clock.now += 30_000
    assert memory.leases.renew(lease, seconds=60).expires_s == lease.expires_s + 30


def test_two_spaces_have_two_leases(memory: Memory, space: str) -> None:
    memory.leases.take(space, "run-1", "ingest", seconds=60)
    assert memory.leases.take(f"{space}-b", "run-2", "ingest", seconds=60).fence == 1


def test_the_newest_fence_is_known_whoever_holds_the_lease(memory: Memory, space: str) -> None:
    assert memory.leases.fence(space) == 0
    first = memory.leases.take(space, "run-1", "consolidation", seconds=60)
    memory.leases.release(first)
    assert memory.leases.fence(space) == first.fence
    second = memory.leases.take(space, "run-2", "consolidation", seconds=60)
    assert memory.leases.fence(space) == second.fence == first.fence + 1


def test_nothing_is_written_under_an_old_fence(memory: Memory, space: str) -> None:
    old = memory.leases.take(space, "run-1", "consolidation", seconds=60)
    memory.spaces.update(space, {"units": 1}, lease=old)
    memory.spaces.set_entry(space, "views", "recent", "v1", lease=old)
    memory.runs.put(space, "run-1", {"status": "running"}, lease=old)
    memory.leases.take(space, "run-2", "consolidation", seconds=60, over="run-1")
    for write in (
        lambda: memory.spaces.update(space, {"units": 2}, lease=old),
        lambda: memory.spaces.set_entry(space, "views", "recent", "v2", lease=old),
        lambda: memory.runs.put(space, "run-1", {"status": "progress"}, lease=old),
        lambda: memory.entries.settle(space, [], old),
    ):
        with pytest.raises(LeaseLost):
            write()
    head = memory.spaces.head(space)
    assert (head.units, head.views, head.frame) == (1, {"recent": "v1"}, 0)
    assert memory.runs.get(space, "run-1") == {"status": "running"}


def test_settling_commits_the_frame_even_when_nothing_is_left_to_move(memory: Memory, space: str) -> None:
    lease = memory.leases.take(space, "run-1", "consolidation", seconds=60)
    assert memory.entries.settle(space, [], lease) == 0
    assert memory.spaces.head(space).frame == lease.fence
