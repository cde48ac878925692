from typing import Any

import pytest

from remembrancer.adapters.dynamodb import Memory
from remembrancer.errors import Invalid, TooLarge
from tests.contract.conftest import FakeClock


def test_a_record_comes_back_as_it_was_written(memory: Memory, space: str) -> None:
    record: dict[str, Any] = {
        "pk": "mine",
        "status": "progress",
        "counts": {"filed": 3, "merged": 0},
        "cost": 0.25,
        "frame": {"state": "open", "stamps": [{"loser": "a", "score": 0.9}, {"loser": "b", "score": None}]},
        "": "",
    }
    memory.runs.put(space, "01RUN", record)
    assert memory.runs.get(space, "01RUN") == record
    memory.runs.put(space, "01RUN", {"status": "failed"})
    assert memory.runs.get(space, "01RUN") == {"status": "failed"}


def test_an_unknown_run_is_none(memory: Memory, space: str) -> None:
    memory.runs.put(space, "01RUN", {"status": "failed"})
    assert memory.runs.get(space, "01OTHER") is None
    assert memory.runs.get(f"{space}-b", "01RUN") is None


@pytest.mark.parametrize("limit", [1, 2, 5, 50])
def test_runs_come_newest_first(memory: Memory, space: str, clock: FakeClock, limit: int) -> None:
    for n in range(5):
        memory.runs.put(space, clock.new_id(), {"n": n})
    found, cursor = memory.runs.page(space, limit=limit)
    while cursor:
        assert len(found) % limit == 0
        more, cursor = memory.runs.page(space, limit=limit, cursor=cursor)
        found += more
    assert [record["n"] for record in found] == [4, 3, 2, 1, 0]


def test_a_cursor_of_another_space_is_refused(memory: Memory, space: str) -> None:
    for run in ("01A", "01B"):
        memory.runs.put(space, run, {})
    _, cursor = memory.runs.page(space, limit=1)
    with pytest.raises(Invalid):
        memory.runs.page(f"{space}-b", limit=1, cursor=cursor)


def test_a_record_that_no_item_can_hold_is_refused(memory: Memory, space: str) -> None:
    with pytest.raises(TooLarge):
        memory.runs.put(space, "01RUN", {"stamps": ["x" * 100] * 4_000})
    assert memory.runs.get(space, "01RUN") is None
