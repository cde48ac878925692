"""Which entries the views can show: a bounded number, so that a view costs the same in a large space."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from heapq import nlargest, nsmallest

from remembrancer.core.digest import Row
from remembrancer.core.entries import KINDS

EACH = 500
"""Entries for each view; every view is full with far fewer."""
CLOSERS = 1_000
"""Of what is done, and of what has happened: the newest, which may close a plan."""
RECENT_DAYS = 3
EPISODIC = KINDS.index("episodic")

Rows = Iterable[tuple[str, Row]]


def shortlist(rows: Mapping[str, Row], now_ms: int, *, each: int = EACH) -> set[str]:
    """Ids of what matters most, what is new, ahead, open or done, and of personal facts.

    A fact that was said again later with another date is left out, and so is a plan whose days are over.
    """
    before = datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(days=2)  # zones differ
    since_ms, day = now_ms - RECENT_DAYS * 86_400_000, int(f"{before:%Y%m%d}")
    items = _current(rows)
    lasting = [(id, r) for id, r in items if not r.plan or r.until >= day]
    found = {id for id, _ in nsmallest(each, lasting, key=_rank)}
    found |= {id for id, _ in nsmallest(each, ((id, r) for id, r in lasting if r.personal), key=_rank)}
    found |= {id for id, _ in _newest(each, ((id, r) for id, r in rows.items() if r.at_ms >= since_ms))}
    found |= {id for id, _ in _newest(each, ((id, r) for id, r in items if r.goal))}
    found |= {id for id, _ in _newest(CLOSERS, ((id, r) for id, r in rows.items() if r.done))}
    found |= {id for id, _ in _newest(CLOSERS, ((id, r) for id, r in rows.items() if r.kind == EPISODIC))}
    ahead = ((r.until, id) for id, r in items if r.until >= day)
    return found | {id for _, id in nsmallest(each, ahead)}


def _current(rows: Mapping[str, Row]) -> list[tuple[str, Row]]:
    """As `plans.current` has it."""
    latest: dict[int | str, tuple[int, int, str]] = {}
    for id, row in rows.items():
        key = row.occasion or id
        latest[key] = max(latest.get(key, (row.said_ms, row.at_ms, id)), (row.said_ms, row.at_ms, id))
    return [(id, rows[id]) for _, _, id in latest.values()]


def _rank(item: tuple[str, Row]) -> tuple[float, int, str]:
    return -item[1].weight, -item[1].said_ms, item[0]


def _newest(each: int, items: Rows) -> list[tuple[str, Row]]:
    return nlargest(each, items, key=lambda item: (item[1].at_ms, item[0]))
