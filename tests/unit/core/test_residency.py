from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.memory import Injected
from remembrancer.core.residency import (
    gone,
    new_epoch,
    prune,
    prune_valve,
    resident_bytes,
    select,
)
from remembrancer.core.sessions import Resident, SessionRecord
from remembrancer.errors import Invalid
from tests.golden import cases


def unit(name: str, size: int = 10, *, resident: bool = False, prints: tuple[str, ...] = ()) -> Injected:
    return Injected(name, "", name, "", (), "match", 1.0, size, size, resident, prints, (name,))


def rows(*sizes: tuple[str, int, int]) -> list[Resident]:
    return [Resident(name, size, at, at) for name, size, at in sizes]


@pytest.mark.parametrize("case", cases("prune_valve"), ids=lambda c: c["name"])
def test_golden_prune_valve(case: dict[str, Any]) -> None:
    given_ = case["input"]
    limit, target = given_["max_bytes"], given_["target_bytes"]
    if given_["op"] == "limits_valid":
        if case["expect"]:
            assert prune_valve([], limit, target) == ()
            return
        with pytest.raises(Invalid):
            prune_valve([], limit, target)
        return
    held = {
        f"{r['slug']}§{r['key']}": Resident(
            f"{r['slug']}§{r['key']}",
            r["bytes"],
            r["injected_at"],
            r["injected_at"] if r["last_selected_at"] is None else r["last_selected_at"],
        )
        for r in given_["rows"]
    }
    victims = prune_valve(held.values(), limit, target)
    assert [v.split("§") for v in victims] == case["expect"]["victims"]
    assert sum(held[v].bytes for v in victims) == case["expect"]["freed"]
    record, _ = prune(SessionRecord("s", residents=held), victims)
    assert resident_bytes(record.residents.values()) == case["expect"]["resident_after"]


def test_the_least_recently_selected_go_first_until_the_target() -> None:
    held = rows(("b", 40, 2), ("a", 40, 1), ("c", 40, 3))
    assert prune_valve(held, 100, 70) == ("a", "b")
    assert prune_valve(held, 120, 70) == ()
    assert prune_valve(rows(("z", 400_000, 1))) == ("z",)


def test_a_target_that_is_not_smaller_is_refused() -> None:
    with pytest.raises(Invalid):
        prune_valve([], 100, 100)


def test_a_new_unit_becomes_resident_and_a_resident_one_is_only_stamped() -> None:
    first, changed = select(SessionRecord("s"), [unit("a", prints=("p",))], 5)
    assert changed == (Resident("a", 10, 5, 5, prints=("p",), entries=("a",)),)
    second, changed = select(first, [unit("a", 0, resident=True), unit("x", 0, resident=True)], 9)
    assert changed == (Resident("a", 10, 5, 9, prints=("p",), entries=("a",)),)
    assert second.residents == {"a": changed[0]}
    assert first.residents["a"].last_selected_ms == 5


def test_more_lines_of_the_same_entry_join_its_resident() -> None:
    record, _ = select(SessionRecord("s"), [unit("a", 10, prints=("p",))], 5)
    record, changed = select(record, [unit("a", 7, prints=("q", "p"))], 9)
    assert changed == (Resident("a", 17, 5, 9, prints=("p", "q"), entries=("a",)),)


def test_a_pruned_unit_that_comes_again_starts_anew() -> None:
    record, _ = select(SessionRecord("s"), [unit("a", 10, prints=("p",))], 5)
    record, changed = prune(record, ["a", "unknown"])
    assert [r.pruned for r in changed] == [True]
    assert resident_bytes(record.residents.values()) == 0
    assert prune(record, ["a"])[1] == ()
    record, changed = select(record, [unit("a", 4, prints=("q",))], 9)
    assert changed == (Resident("a", 4, 9, 9, prints=("q",), entries=("a",)),)


def test_a_new_epoch_forgets_what_is_resident() -> None:
    record, _ = select(SessionRecord("s", rev=3), [unit("a")], 5)
    assert new_epoch(record) == SessionRecord("s", rev=3, epoch=2)


def test_units_of_what_is_gone_are_named_once() -> None:
    held = {
        r.unit: r
        for r in (
            Resident("dead§K~1", 1, 1, 1),
            Resident("alive§~2", 1, 1, 1, entries=("01F",)),
            Resident("alive§K~3", 1, 1, 1, entries=("01A",)),
            Resident("01S", 1, 1, 1, entries=("01S",)),
            Resident("dead§L~4", 1, 1, 1, pruned=True),
        )
    }
    record = SessionRecord("s", residents=held)
    assert gone(record, lambda i: i not in ("dead", "01S")) == ("dead§K~1", "01S")
    assert gone(record, lambda _: True, lambda i: i == "01F") == ("alive§~2",)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=20), st.integers(1, 200), st.data())
def test_the_valve_always_reaches_its_target(
    sizes: list[tuple[int, int]], limit: int, data: st.DataObject
) -> None:
    target = data.draw(st.integers(0, limit - 1))
    held = rows(*((str(n), size, at) for n, (size, at) in enumerate(sizes)))
    victims = set(prune_valve(held, limit, target))
    left = sum(r.bytes for r in held if r.unit not in victims)
    assert left <= (target if resident_bytes(held) > limit else limit)
    newest_victim = max((r.last_selected_ms for r in held if r.unit in victims), default=-1)
    assert all(r.last_selected_ms >= newest_victim for r in held if r.unit not in victims and r.bytes)
