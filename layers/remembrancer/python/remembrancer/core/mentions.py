"""Dates that a text names, as spans of days, resolved against the day that the text is from."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from typing import TypeAlias

from remembrancer.core.english import MONTH, MONTHS, NUMBERS, SEASON, SEASONS, WEEKDAY, WEEKDAYS

Days: TypeAlias = tuple[date, date]
"""First and last day."""

VERBS = ("may", "march")
"""Months that, in lower case, are more often verbs."""

_UNIT_DAYS = {"day": (1, 0), "week": (7, 3), "month": (30, 15), "year": (365, 180)}
_COUNT = "|".join(["couple of", *(word for word in NUMBERS if word != "couple"), r"[0-9]{1,6}"])

RELATIVE = re.compile(
    r"\b(?:(?P<near>(?:the )?day before yesterday|yesterday|last night|today|tonight|this morning|tomorrow)"
    r"|(?P<which>last|past|this past|this|next|the following) "
    rf"(?P<what>week|weekend|month|year|{WEEKDAY}|{MONTH}|{SEASON})"
    rf"|(?P<count>{_COUNT}) (?P<unit>day|week|month|year)s? ago"
    rf"|(?P<weekday>{WEEKDAY}))\b",
    re.IGNORECASE,
)
"""Times that only a day to count from makes definite."""

_ABSOLUTE = re.compile(
    r"\b(?:(?P<iso>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    rf"|(?:(?P<before>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<month>{MONTH})"
    r"(?:,? (?P<after>[0-9]{1,2})(?:st|nd|rd|th)?)?(?:,? (?P<year>20[0-9]{2}))?"
    r"|(?P<alone>20[0-9]{2}))\b",
    re.IGNORECASE,
)


def month_days(year: int, month: int) -> Days:
    """The days of a month."""
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def season_days(year: int, season: str) -> Days:
    """The days of the season that begins in the year."""
    first, last = SEASONS[season]
    return date(year, first, 1), month_days(year + (last < first), last)[1]


def year_days(year: int) -> Days:
    """The days of a year."""
    return date(year, 1, 1), date(year, 12, 31)


def mentions(text: str, day: date, *, ahead: bool = False) -> tuple[tuple[int, int], ...]:
    """Every span that the text names, each once, as day numbers (`date.toordinal`). `day` is the text's own.

    A weekday alone is the last one; with `ahead`, for plans, the next one.
    """
    found = (days for days in _named(text, day, ahead=ahead) if days)
    return tuple(dict.fromkeys((first.toordinal(), last.toordinal()) for first, last in found))


def _named(text: str, day: date, *, ahead: bool) -> Iterator[Days | None]:
    taken: list[tuple[int, int]] = []
    for match in RELATIVE.finditer(text):
        taken.append(match.span())
        yield resolve(match, day, ahead=ahead)
    for match in _ABSOLUTE.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end in taken):
            yield _absolute(match, day)


def _absolute(match: re.Match[str], day: date) -> Days | None:
    if match["iso"]:
        return _one_day(*map(int, match["iso"].split("-")))
    if match["alone"]:
        return year_days(int(match["alone"]))
    if match["month"] in VERBS:
        return None
    month, year = MONTHS[match["month"].lower()], int(match["year"] or day.year)
    number = match["after"] or match["before"]
    return (_one_day(year, month, int(number)) if number else None) or month_days(year, month)


def _one_day(year: int, month: int, number: int) -> Days | None:
    try:
        return (date(year, month, number),) * 2
    except ValueError:
        return None


def resolve(match: re.Match[str], day: date, *, ahead: bool = False) -> Days | None:
    """The days that a match of `RELATIVE` means on `day`; None when they lie outside the calendar."""
    try:
        if match["near"]:
            return _shifted(day, _near(match["near"].lower()))
        if match["count"]:
            return _ago(match["count"].lower(), match["unit"].lower(), day)
        if match["weekday"]:
            back = (day.weekday() - WEEKDAYS[match["weekday"].lower()]) % 7
            return _shifted(day, -back % 7 if ahead else -back)
        which, what = match["which"].lower(), match["what"].lower()
        return None if which == "this" and match["what"] in VERBS else _period(which, what, day)
    except (OverflowError, ValueError):
        return None


def _near(words: str) -> int:
    if "before" in words:
        return -2
    return {"yesterday": -1, "last night": -1, "tomorrow": 1}.get(words, 0)


def _shifted(day: date, first: int, last: int | None = None) -> Days:
    return day + timedelta(first), day + timedelta(first if last is None else last)


def _ago(count: str, unit: str, day: date) -> Days:
    number = int(count) if count[0].isdigit() else NUMBERS[count.split()[0]]
    length, slack = _UNIT_DAYS[unit]
    return _shifted(day, -number * length - slack, -number * length + slack)


def _period(which: str, what: str, day: date) -> Days:
    """The last, this or the next week, weekend, month, year, weekday, month by name or season."""
    step = -1 if "last" in which or "past" in which else 1 if "next" in which or "following" in which else 0
    monday = -day.weekday()
    if what == "week":
        return _shifted(day, monday + 7 * step, monday + 7 * step + 6)
    if what == "weekend":
        # on a weekend, "last weekend" may mean the one that has begun
        end = monday + 5 if step < 0 and day.weekday() >= 5 else monday + 6 + 7 * step
        return _shifted(day, monday + 5 + 7 * step, end)
    if what == "month":
        months = day.year * 12 + day.month - 1 + step
        return month_days(months // 12, months % 12 + 1)
    if what == "year":
        return year_days(day.year + step)
    if what in WEEKDAYS:
        return _weekday(step, WEEKDAYS[what], day)
    if what in MONTHS:
        month = MONTHS[what]
        other = (step < 0 and month >= day.month) or (step > 0 and month <= day.month)
        return month_days(day.year + step * other, month)
    begun = date(day.year, SEASONS[what][0], 1) <= day
    return season_days(day.year + (step < 0 and not begun) * -1 + (step > 0 and begun), what)


def _weekday(step: int, number: int, day: date) -> Days:
    if step < 0:
        return _shifted(day, -((day.weekday() - number) % 7 or 7))
    if step > 0:
        return _shifted(day, (number - day.weekday()) % 7 or 7)
    return _shifted(day, number - day.weekday())
