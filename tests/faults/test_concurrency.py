"""Many at once against the real adapters on the emulator."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Barrier
from typing import Any

import pytest

from remembrancer.adapters.dynamodb import Memory
from remembrancer.adapters.s3 import S3Pages
from remembrancer.adapters.system_clock import SystemClock
from remembrancer.core.catalogue import PageHead
from remembrancer.core.entries import Entry
from remembrancer.errors import Conflict, LeaseLost, PreconditionFailed
from remembrancer.ports import Lease, Move, Stored
from tests import ministack

TENANT = "faults"


@pytest.fixture(scope="module")
def clock() -> SystemClock:
    return SystemClock()


@pytest.fixture(scope="module")
def memory(clock: SystemClock) -> Iterator[Memory]:
    ministack.create(TENANT)
    with ministack.environment():
        yield Memory(f"dynamodb://{TENANT}-memory", clock)


@pytest.fixture
def space(clock: SystemClock) -> str:
    return "space-" + clock.new_id()


def together(work: Callable[[int], Any], count: int) -> list[Any]:
    """What `work(n)` gave, or the error that it raised, for n below `count`, all started at the same moment."""
    start = Barrier(count)

    def one(n: int) -> Any:
        start.wait()
        try:
            return work(n)
        except (Conflict, PreconditionFailed) as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def entry(clock: SystemClock, text: str, **more: Any) -> Entry:
    now = clock.now_ms()
    return Entry(clock.new_id(), text, at_ms=now, remembered_ms=now, last_confirmed_ms=now, **more)


def test_ids_grow_strictly_whatever_the_clock_does(monkeypatch: pytest.MonkeyPatch) -> None:
    jumping = SystemClock()
    times = iter([5, 3, 3, 9, 1] * 400)
    monkeypatch.setattr(jumping, "now_ms", lambda: 1_750_000_000_000 + next(times))
    ids = [jumping.new_id() for _ in range(1_000)]
    assert ids == sorted(set(ids))
    steady = SystemClock()
    per_thread = together(lambda _: [steady.new_id() for _ in range(500)], 16)
    assert all(ids == sorted(ids) for ids in per_thread)
    assert len({i for ids in per_thread for i in ids}) == 8_000


def test_no_fact_is_lost_or_doubled_by_32_writers(memory: Memory, clock: SystemClock, space: str) -> None:
    def work(n: int) -> list[tuple[str, str, str]]:
        """20 calls: every fourth tells a fact that all writers tell, the others are this writer's own."""
        told = []
        for m in range(20):
            text = f"shared {m}" if m % 4 == 0 else f"writer {n} fact {m}"
            (added,) = memory.entries.add(space, [entry(clock, text, source=f"w{n}", sources=(f"w{n}",))])
            told.append((text, added.status, added.id))
        return told

    told = [line for lines in together(work, 32) for line in lines]
    stored = {text: id for text, status, id in told if status == "stored"}
    pending = memory.entries.pending(space, limit=10_000)
    assert Counter(status for _, status, _ in told) == {"stored": 32 * 15 + 5, "duplicate": 32 * 5 - 5}
    assert len(pending) == len(stored) == 32 * 15 + 5
    assert {e.text: e.id for e in pending} == stored
    assert all(stored[text] == id for text, _, id in told)
    assert all(len(e.sources) == 32 for e in pending if e.text.startswith("shared"))


def test_batches_with_common_facts_do_not_undo_each_other(memory: Memory, clock: SystemClock, space: str) -> None:
    def work(n: int) -> list[str]:
        texts = [f"common {m}" for m in range(10)] + [f"own {n} {m}" for m in range(10)]
        return [a.id for a in memory.entries.add(space, [entry(clock, text) for text in texts])]

    found = together(work, 8)
    assert len({tuple(ids[:10]) for ids in found}) == 1
    assert len(memory.entries.pending(space, limit=1_000)) == 10 + 8 * 10


def test_a_lease_never_has_two_holders(memory: Memory, space: str) -> None:
    def take(round_: int, n: int) -> Lease:
        return memory.leases.take(space, f"run-{round_}-{n}", "test", seconds=60)

    fences: list[int] = []
    for round_ in range(10):
        found = together(partial(take, round_), 16)
        won = [lease for lease in found if isinstance(lease, Lease)]
        assert len(won) == 1
        assert all(isinstance(other, Conflict) for other in found if other is not won[0])
        fences.append(won[0].fence)
        memory.leases.release(won[0])
    assert fences == list(range(1, 11))


def test_an_expired_lease_is_taken_over_by_one_only(memory: Memory, space: str) -> None:
    class Later(SystemClock):
        def now_ms(self) -> int:
            return super().now_ms() + 120_000

    old = memory.leases.take(space, "run-old", "test", seconds=60)
    late = Memory(f"dynamodb://{TENANT}-memory", Later())
    found = together(lambda n: late.leases.take(space, f"run-{n}", "test", seconds=60), 16)
    won = [lease for lease in found if isinstance(lease, Lease)]
    assert [lease.fence for lease in won] == [old.fence + 1]
    with pytest.raises(LeaseLost):
        memory.leases.renew(old, seconds=60)


def test_two_settlers_of_one_run_move_each_entry_once(memory: Memory, clock: SystemClock, space: str) -> None:
    new = [entry(clock, f"fact {n}") for n in range(60)]
    memory.entries.add(space, new)
    lease = memory.leases.take(space, "run-1", "test", seconds=60)
    moves = [Move(replace(e, filed_by="run-1")) for e in new]
    moved = together(lambda _: memory.entries.settle(space, moves, lease), 4)
    assert sum(moved) == 60
    assert memory.entries.pending(space, limit=1) == []
    assert memory.entries.counts(space)["active"]["semantic"] == 60


def test_facts_told_again_while_they_are_filed_are_all_confirmed(
    memory: Memory, clock: SystemClock, space: str
) -> None:
    new = [entry(clock, f"fact {n}") for n in range(30)]
    memory.entries.add(space, new)
    lease = memory.leases.take(space, "run-1", "test", seconds=60)

    def work(n: int) -> Any:
        if n == 0:
            return memory.entries.settle(space, [Move(replace(e, filed_by="run-1")) for e in new], lease)
        again = [entry(clock, f"fact {m}", source=f"w{n}", sources=(f"w{n}",)) for m in range(30)]
        return [a.status for a in memory.entries.add(space, again)]

    moved, *statuses = together(work, 5)
    assert moved == 30
    assert {status for found in statuses for status in found} == {"duplicate"}
    filed = memory.entries.get(space, [e.id for e in new])
    assert all(set(filed[e.id].sources) == {"w1", "w2", "w3", "w4"} for e in new)
    assert all(filed[e.id].filed_by == "run-1" for e in new)


def test_a_new_object_has_one_creator(memory: Memory, space: str) -> None:
    pages = S3Pages(f"s3://{TENANT}-pages")

    def write(name: str, n: int) -> Stored:
        return pages.write(space, name, b"by %d" % n, etag=None)

    for round_ in range(5):
        name = f"concepts/page-{round_}.md"
        found = together(partial(write, name), 16)
        won = [stored for stored in found if not isinstance(stored, PreconditionFailed)]
        assert len(won) == 1
        now = pages.read(space, name)
        assert now is not None and now.body == won[0].body


def test_no_change_of_an_object_is_lost(memory: Memory, space: str) -> None:
    pages = S3Pages(f"s3://{TENANT}-pages")
    pages.write(space, "log.md", b"0", etag=None)

    def work(_: int) -> None:
        done = 0
        while done < 4:
            now = pages.read(space, "log.md")
            assert now is not None
            try:
                pages.write(space, "log.md", b"%d" % (int(now.body) + 1), etag=now.etag)
                done += 1
            except PreconditionFailed:
                continue

    together(work, 8)
    now = pages.read(space, "log.md")
    assert now is not None and now.body == b"32"


def test_no_change_of_a_page_head_is_lost(memory: Memory, space: str) -> None:
    memory.catalogue.put(space, PageHead("tea", 1), over=None)

    def work(n: int) -> None:
        while True:
            now = memory.catalogue.heads(space, ["tea"])["tea"]
            new = replace(now, rev=now.rev + 1, links=(*now.links, f"to-{n}"))
            try:
                memory.catalogue.put(space, new, over=now)
                return
            except PreconditionFailed:
                continue

    together(work, 16)
    now = memory.catalogue.heads(space, ["tea"])["tea"]
    assert now.rev == 17
    assert set(now.links) == {f"to-{n}" for n in range(16)}
    assert all(memory.catalogue.backlinks(space, to) == [("tea", "link")] for to in now.links)
