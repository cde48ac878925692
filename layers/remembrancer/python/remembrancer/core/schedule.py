"""When a run starts, how long it waits after failures, and how much one run takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from remembrancer.core.catalogue import SpaceHead
from remembrancer.core.entries import Entry
from remembrancer.core.zones import day_of
from remembrancer.errors import Invalid

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
INTERVAL_MS = 8 * HOUR_MS
PER_RUN = 150
MAY_REMOVE = 20
TRIGGERS = ("nightly", "interval", "size", "nudge", "manual")
PHASES = {"gate": 5, "plan": 20, "file": 60, "settle": 75, "views": 85, "maintain": 95, "done": 100}
UPKEEP = "upkeep"
"""What starts maintenance alone."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The settings of the gate. `max_lines` None switches the size trigger off, `cap` None unbounds a run."""

    interval_ms: int = INTERVAL_MS
    min_lines: int = 10
    max_lines: int | None = 100
    cap: int | None = PER_RUN


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to run, and why; `advance_check` asks for `checked_ms` = now although nothing runs."""

    run: bool
    reason: str
    advance_check: bool = False


class Due(NamedTuple):
    """When the next run can start (UTC milliseconds, None when nothing waits), and why then."""

    at_ms: int | None
    reason: str


def backoff_after(failures: int, kind: str, interval_ms: int = INTERVAL_MS) -> int:
    """Milliseconds to wait after the n-th failure in a row; `kind` is that of the error."""
    if failures < 1:
        return 0
    doublings = min(failures - 1, 32)
    if kind in ("billing", "access_denied", "deletion_budget"):
        return min(HOUR_MS << doublings, max(6 * HOUR_MS, interval_ms))
    return min(5 * MINUTE_MS << doublings, 30 * MINUTE_MS)


def backoff_state(before: int, kind: str, now_ms: int, interval_ms: int) -> dict[str, object]:
    """The head's `backoff` after one more failure on top of `before`; the newest kind picks the curve."""
    failures = before + 1
    return {
        "failures": failures,
        "kind": kind,
        "until_ms": now_ms + backoff_after(failures, kind, interval_ms),
    }


def backoff_left(head: SpaceHead, now_ms: int) -> int:
    """Milliseconds until the backoff ends, 0 when there is none."""
    return max(0, int(head.backoff.get("until_ms", 0)) - now_ms)


def may_remove(removed: int, passages: int) -> bool:
    """False when a run takes more than a fifth of a space's passages away. Twenty are always allowed.

    Without that floor a space of a few pages could not follow a day on which its facts change.
    """
    return removed <= max(MAY_REMOVE, passages // 5)


def kind_of_error(error: str) -> str:
    """`deletion_budget`, `access_denied`, `billing` or `transient`, from the name (and message) of an error."""
    low = error.casefold()
    if "deletionbudget" in low:
        return "deletion_budget"
    if any(
        word in low for word in ("accessdenied", "access denied", "unauthorized", "not authorized", "forbidden")
    ):
        return "access_denied"
    if any(word in low for word in ("billing", "payment", "servicequotaexceeded", "insufficient quota")):
        return "billing"
    return "transient"


def job_delay_s(deferrals: int) -> int:
    """Seconds before the n-th repeat of a deferred job."""
    return min(30 << min(max(deferrals, 1) - 1, 32), 300)


def _last_check_ms(head: SpaceHead) -> int:
    return max(int(head.last_run.get("at_ms", 0)), head.checked_ms)


def decide(
    trigger: str,
    *,
    head: SpaceHead,
    pending: int,
    lines: int,
    last_write_ms: int,
    now_ms: int,
    oldest_ms: int = 0,
    gate: Gate = Gate(),
) -> Decision:
    """Should a run start now, if none goes on? `lines` counts the non-empty lines of the buffer."""
    if trigger not in TRIGGERS:
        raise Invalid(f"one of {', '.join(TRIGGERS)}", field="trigger")
    if not head.enabled:
        return Decision(False, "disabled")
    if trigger == "interval" and now_ms - _last_check_ms(head) < gate.interval_ms:
        return Decision(False, "not_due")
    if not pending:
        return Decision(False, "empty", advance_check=trigger == "interval")
    if trigger != "manual" and backoff_left(head, now_ms):
        return Decision(False, "backoff")
    if trigger == "size" and (gate.max_lines is None or lines < gate.max_lines):
        return Decision(False, "size_off" if gate.max_lines is None else "below_size")
    if trigger == "interval" and lines < gate.min_lines:
        idle_since = max(last_write_ms, oldest_ms)
        if now_ms - idle_since < gate.interval_ms:
            return Decision(False, "below_minimum", advance_check=True)
        return Decision(True, "stale")
    return Decision(True, trigger)


def next_due(
    head: SpaceHead, *, pending: int, lines: int, last_write_ms: int, now_ms: int, gate: Gate = Gate()
) -> Due:
    """When the hourly check will start a run if nothing else happens; the nightly run may come first."""
    if not head.enabled:
        return Due(None, "disabled")
    if not pending:
        return Due(None, "empty")
    until = now_ms + backoff_left(head, now_ms)
    due = _last_check_ms(head) + gate.interval_ms
    if lines < gate.min_lines and last_write_ms + gate.interval_ms > due:
        # A check that finds the buffer small and lively starts a new interval.
        due = max(due, now_ms)
        while due < last_write_ms + gate.interval_ms:
            due += gate.interval_ms
        reason = "stale"
    else:
        reason = "interval"
    if until > max(due, now_ms):
        return Due(until, "backoff")
    return Due(max(due, now_ms), reason)


def filed_through(head: SpaceHead, oldest_ms: int | None, now_ms: int) -> str | None:
    """The last whole day of the space of which nothing waits any more; None before the first filing run."""
    if head.last_run.get("productive_ms") is None:
        return None
    return str(day_of(min(now_ms, now_ms if oldest_ms is None else oldest_ms), head.zone) - timedelta(days=1))


def progress_percent(phase: str, pending: int) -> int:
    """How far the active run is by its phase (empty: none is active); it never falls during a run."""
    if not phase:
        return 0 if pending else 100
    return PHASES.get(phase, 0)


def overdue(oldest_ms: int, pending: int, now_ms: int, gate: Gate = Gate()) -> bool:
    """True when the oldest pending entry has waited for more than two intervals: worth an alarm."""
    return pending > 0 and now_ms - oldest_ms > 2 * gate.interval_ms


def take(pending: Sequence[Entry], cap: int | None = PER_RUN) -> tuple[list[Entry], int]:
    """The entries of one pass in id order, never more than the cap, and how many wait for the next."""
    ordered = sorted(pending, key=lambda entry: entry.id)
    taken = ordered if cap is None else ordered[:cap]
    return taken, len(ordered) - len(taken)
