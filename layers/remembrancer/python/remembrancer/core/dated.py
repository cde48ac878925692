"""How well units fit the dates of a question."""

from collections.abc import Sequence
from dataclasses import dataclass

from remembrancer.core.spans import Span
from remembrancer.core.units import Hit, Unit
from remembrancer.core.zones import day_of

NEAR_DAYS = 7
NEXT_DAYS = 31
SEPARATES = 0.9

_NEAR, _PERIOD, _NEXT, _MENTION, _YEAR = 0.6, 0.7, 0.35, 0.35, 0.7


@dataclass(slots=True)
class _Best:
    """The best value of each relation between one unit and the spans, 0 to 1."""

    day: float = 0.0
    near: float = 0.0
    period: float = 0.0
    next: float = 0.0
    mention: float = 0.0
    year: float = 0.0

    def signal(self) -> float:
        total = self.day + _NEAR * self.near + _PERIOD * self.period + _NEXT * self.next
        return min(1.0, total + _MENTION * self.mention + _YEAR * self.year)


def date_signals(hits: Sequence[Hit], spans: Sequence[Span], zone: str) -> list[float]:
    """For every hit, 0 to 1. Days are counted in the caller's zone.

    A year alone counts only while it tells the hits apart: when it holds under 90 % of them.
    """
    if not spans:
        return [0.0] * len(hits)
    days = [None if hit.unit.at_ms is None else day_of(hit.unit.at_ms, zone).toordinal() for hit in hits]
    best = [_Best() for _ in hits]
    for span in spans:
        inside = [day is not None and span.start <= day <= span.end for day in days]
        if span.kind == "year" and sum(inside) >= SEPARATES * len(hits):
            continue
        for place, hit in enumerate(hits):
            _weigh(best[place], span, days[place], inside[place], _mentioned(hit.unit, span))
    return [one.signal() for one in best]


def _weigh(best: _Best, span: Span, day: int | None, inside: bool, mentioned: bool) -> None:
    if span.kind == "year":
        best.year = max(best.year, inside or mentioned)
        best.mention = max(best.mention, mentioned and not inside)
        return
    best.mention = max(best.mention, mentioned)
    if day is None:
        return
    if span.kind == "day":
        gap = abs(day - span.start)
        best.day = max(best.day, gap == 0)
        best.near = max(best.near, 1 - gap / (NEAR_DAYS + 1) if 0 < gap <= NEAR_DAYS else 0)
    else:
        best.period = max(best.period, inside)
        best.next = max(best.next, span.end < day <= span.end + NEXT_DAYS)


def _mentioned(unit: Unit, span: Span) -> bool:
    """True when a date in the text overlaps the span and is not much longer than it."""
    longest = max(31, 2 * (span.end - span.start) + 7)
    return any(a <= span.end and b >= span.start and b - a <= longest for a, b in unit.mentions)
