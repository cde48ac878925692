"""Which entries the views can show: a bounded number, so that a view costs the same in a large space."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from heapq import nlargest, nsmallest

from remembrancer.core.digest import Row

EACH = 500
"""Entries for each view; every view is full with far fewer."""
RECENT_DAYS = 3

Rows = Iterable[tuple[str, Row]]


def shortlist(rows: Mapping[str, Row], now_ms: int, *, each: int = EACH) -> set[str]:
    """Ids of those that matter most, of what is new, of what is ahead or open, and of personal facts."""
    yesterday = datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(days=1)
    since_ms, day = now_ms - RECENT_DAYS * 86_400_000, int(f"{yesterday:%Y%m%d}")
    items = rows.items()
    found = {id for id, _ in nsmallest(each, items, key=_rank)}
    found |= {id for id, _ in nsmallest(each, ((id, r) for id, r in items if r.personal), key=_rank)}
    found |= {id for id, _ in _newest(each, ((id, r) for id, r in items if r.at_ms >= since_ms))}
    found |= {id for id, _ in _newest(each, ((id, r) for id, r in items if r.goal))}
    ahead = ((r.until, id) for id, r in items if r.until >= day)
    return found | {id for _, id in nsmallest(each, ahead)}


def _rank(item: tuple[str, Row]) -> tuple[float, int, str]:
    return -item[1].weight, -item[1].confirmed_ms, item[0]


def _newest(each: int, items: Rows) -> list[tuple[str, Row]]:
    return nlargest(each, items, key=lambda item: (item[1].at_ms, item[0]))
