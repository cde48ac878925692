from dataclasses import replace
from typing import Any

import pytest

from remembrancer.core.catalogue import SpaceHead
from remembrancer.core.entries import Entry
from remembrancer.core.schedule import (
    HOUR_MS,
    MINUTE_MS,
    Decision,
    Due,
    Gate,
    backoff_after,
    backoff_left,
    backoff_state,
    decide,
    filed_through,
    job_delay_s,
    kind_of_error,
    next_due,
    overdue,
    progress_percent,
    take,
)
from remembrancer.errors import Invalid
from tests.golden import cases

NOW = 1_790_000_000_000


def of(name: str, op: str) -> list[dict[str, Any]]:
    return [case for case in cases(name) if case["input"]["op"] == op]


def head(last_run_h: float = 100, checked_h: float = 100, **fields: Any) -> SpaceHead:
    last = {"at_ms": int(NOW - last_run_h * HOUR_MS)}
    return SpaceHead("s", last_run=last, checked_ms=int(NOW - checked_h * HOUR_MS), **fields)


def ask(trigger: str, at: SpaceHead | None = None, *, lines: int = 12, idle_h: float = 1, **more: Any) -> Decision:
    given = {"pending": 1 if lines else 0, "lines": lines, "last_write_ms": int(NOW - idle_h * HOUR_MS), **more}
    return decide(trigger, head=at or head(), now_ms=NOW, **given)


@pytest.mark.parametrize("case", of("backoff", "backoff_ms"), ids=lambda c: c["name"])
def test_golden_backoff(case: dict[str, Any]) -> None:
    given = case["input"]
    assert backoff_after(given["failures"], given["kind"], given["interval_ms"]) == case["expect"]


@pytest.mark.parametrize("case", of("backoff", "backoff_remaining_ms"), ids=lambda c: c["name"])
def test_golden_time_left(case: dict[str, Any]) -> None:
    state, interval = case["input"]["state"], case["input"]["interval_ms"]
    stored = (
        backoff_state(state["failures"] - 1, state["kind"], state["last_failure_at"], interval) if state else {}
    )
    assert backoff_left(SpaceHead("s", backoff=stored), case["input"]["now"]) == case["expect"]


@pytest.mark.parametrize("case", of("backoff", "deferral_seconds"), ids=lambda c: c["name"])
def test_golden_job_delay(case: dict[str, Any]) -> None:
    assert job_delay_s(case["input"]["deferrals"]) == case["expect"]


@pytest.mark.parametrize("case", of("chunk_cutoff", "select_pass_by_id"), ids=lambda c: c["name"])
def test_golden_pass(case: dict[str, Any]) -> None:
    count = sum(run["count"] for run in case["input"]["entry_runs"])
    entries = [Entry(f"{n:04d}", "x") for n in range(count)]
    taken, deferred = take(entries[::-1], case["input"]["max_entries"])
    assert {"taken": len(taken), "deferred": deferred} == case["expect"]
    assert taken == entries[: len(taken)]


def test_waits_grow_to_their_limits() -> None:
    assert [backoff_after(n, "transient") // MINUTE_MS for n in range(1, 6)] == [5, 10, 20, 30, 30]
    assert [backoff_after(n, "billing", 4 * HOUR_MS) // HOUR_MS for n in range(1, 6)] == [1, 2, 4, 6, 6]
    assert backoff_after(5, "access_denied", 24 * HOUR_MS) == 16 * HOUR_MS
    assert backoff_after(10_000, "transient") == 30 * MINUTE_MS
    assert backoff_after(0, "transient") == 0


def test_a_burst_is_cut_at_the_cap_in_id_order() -> None:
    entries = [Entry(f"{n:04d}", "x") for n in range(400)]
    first, waiting = take(entries)
    assert [entry.id for entry in first] == [f"{n:04d}" for n in range(150)]
    assert waiting == 250
    assert take(entries, None) == (entries, 0)


def test_the_interval_is_due_after_eight_hours_and_not_a_minute_before() -> None:
    assert ask("interval", head(last_run_h=7.99)) == Decision(False, "not_due")
    assert ask("interval", head(last_run_h=8)) == Decision(True, "interval")


def test_a_small_lively_buffer_is_skipped_and_the_check_advances() -> None:
    assert ask("interval", lines=9) == Decision(False, "below_minimum", advance_check=True)
    assert ask("interval", lines=10) == Decision(True, "interval")


def test_a_small_buffer_that_was_idle_for_an_interval_runs_anyway() -> None:
    assert ask("interval", lines=3, idle_h=8) == Decision(True, "stale")


def test_an_empty_buffer_never_runs() -> None:
    for trigger in ("nightly", "interval", "size", "nudge", "manual"):
        assert not ask(trigger, lines=0).run


@pytest.mark.parametrize("trigger", ["nightly", "interval", "size", "nudge"])
def test_backoff_holds_every_trigger_but_the_manual_one_and_advances_nothing(trigger: str) -> None:
    at = head(backoff={"failures": 1, "kind": "transient", "until_ms": NOW + 1})
    assert ask(trigger, at, lines=200) == Decision(False, "backoff", advance_check=False)
    assert ask("manual", at, lines=200) == Decision(True, "manual")
    over = head(backoff={"failures": 1, "kind": "transient", "until_ms": NOW})
    assert ask(trigger, over, lines=200).run


def test_the_size_trigger_counts_to_its_limit_and_can_be_off() -> None:
    assert ask("size", lines=99) == Decision(False, "below_size")
    assert ask("size", lines=100) == Decision(True, "size")
    assert ask("size", lines=1000, gate=Gate(max_lines=None)) == Decision(False, "size_off")


def test_a_small_buffer_runs_at_night_and_by_a_nudge() -> None:
    assert ask("nightly", lines=1) == Decision(True, "nightly")
    assert ask("nudge", lines=1) == Decision(True, "nudge")


def test_memory_that_is_off_does_not_run_and_an_unknown_trigger_is_refused() -> None:
    assert ask("manual", head(enabled=False)) == Decision(False, "disabled")
    with pytest.raises(Invalid):
        ask("weekly")


def test_next_due_names_its_reason() -> None:
    wait: dict[str, Any] = {"pending": 5, "lines": 20, "last_write_ms": NOW, "now_ms": NOW}
    assert next_due(head(last_run_h=3), **wait) == Due(NOW + 5 * HOUR_MS, "interval")
    assert next_due(head(last_run_h=30), **wait) == Due(NOW, "interval")
    assert next_due(head(), **{**wait, "pending": 0}) == Due(None, "empty")
    assert next_due(head(enabled=False), **wait) == Due(None, "disabled")
    held = head(last_run_h=8, backoff={"until_ms": NOW + 5 * MINUTE_MS})
    assert next_due(held, **wait) == Due(NOW + 5 * MINUTE_MS, "backoff")


def test_next_due_of_a_small_buffer_is_when_it_has_been_idle() -> None:
    small: dict[str, Any] = {"pending": 1, "lines": 3, "now_ms": NOW}
    at = head(last_run_h=6)
    due = next_due(at, last_write_ms=NOW - HOUR_MS, **small)
    assert due == Due(NOW + 10 * HOUR_MS, "stale")
    stored = head(last_run_h=6)
    assert decide(
        "interval", head=stored, pending=1, lines=3, last_write_ms=NOW - HOUR_MS, now_ms=NOW + 10 * HOUR_MS
    ) == Decision(True, "stale")


def test_waiting_for_more_than_two_intervals_is_worth_an_alarm() -> None:
    assert not overdue(NOW - 16 * HOUR_MS, 1, NOW)
    assert overdue(NOW - 16 * HOUR_MS - 1, 1, NOW)
    assert not overdue(0, 0, NOW)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("AccessDeniedException", "access_denied"),
        ("Bedrock.BillingError", "billing"),
        ("States.Timeout", "transient"),
        ("Unavailable", "transient"),
    ],
)
def test_the_kind_of_a_failure_comes_from_its_name(error: str, kind: str) -> None:
    assert kind_of_error(error) == kind


def test_days_are_filed_through_the_one_before_the_oldest_that_waits() -> None:
    day = 86_400_000
    head = SpaceHead("s", last_run={"productive_ms": 1}, zone="UTC")
    assert filed_through(SpaceHead("s"), None, 10 * day) is None
    assert filed_through(head, None, 10 * day) == "1970-01-10"
    assert filed_through(head, 4 * day, 10 * day) == "1970-01-04"
    assert filed_through(replace(head, zone="America/New_York"), 4 * day, 10 * day) == "1970-01-03"


def test_progress_is_whole_when_nothing_waits_and_grows_by_phase() -> None:
    assert (progress_percent("", 0), progress_percent("", 3)) == (100, 0)
    found = [
        progress_percent(phase, 3) for phase in ("gate", "plan", "file", "settle", "views", "maintain", "done")
    ]
    assert found == sorted(set(found))
