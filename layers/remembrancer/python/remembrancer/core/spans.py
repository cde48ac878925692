"""Dates that a question names: which days it is about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from remembrancer.core.english import MONTH, MONTHS, SEASON
from remembrancer.core.mentions import RELATIVE, VERBS, Days, month_days, resolve, season_days, year_days
from remembrancer.core.zones import day_of

UNKNOWN_YEARS = 10

_YEAR = re.compile(r"\b(20[0-9]{2})\b")
_ISO = re.compile(r"\b([0-9]{4})-([0-9]{2})-([0-9]{2})\b")
_DAY = re.compile(
    rf"\b([0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)?[ ,]+({MONTH})\b"
    rf"|\b({MONTH})[ ,]+([0-9]{{1,2}})(?:st|nd|rd|th)?\b(?![0-9])"
)
_MONTH = re.compile(rf"\b({MONTH})\b")
_MONTH_BEFORE = re.compile(r"\b(?:in|of|since|during|by|until|early|late|mid|last|next)[ -]$")
_YEAR_AFTER = re.compile(r"[a-z]+,? 20")
_EARLY = re.compile(r"\b(?:first week(?:end)?|beginning|early|start)(?: of| in)?[ -]$")
_MIDDLE = re.compile(r"mid(?:dle)?(?: of)?[ -]$")
_LATE = re.compile(r"\b(?:end|late|last week(?:end)?)(?: of| in)?[ -]$")
_SEASON = re.compile(rf"\b(?:in|during|of|last|this|next|the)(?: the)? ({SEASON})\b")


@dataclass(frozen=True, slots=True)
class Span:
    """Days as proleptic day numbers, both inclusive. `kind` is day, period (a month, a season, a week) or year."""

    start: int
    end: int
    kind: str


def query_spans(text: str, years: Sequence[int], now_ms: int, zone: str) -> tuple[Span, ...]:
    """Every span that a question names, each once; relative words count from `now_ms` in the caller's zone.

    A month without a year means that month in each of `years`, the years that the space has; without them in the
    last ten and the next.
    """
    lower, today = text.lower(), day_of(now_ms, zone)
    named = [int(year) for year in _YEAR.findall(lower)]
    meant = (
        named or list(years) or list(range(max(1, today.year - UNKNOWN_YEARS + 1), min(9998, today.year + 1) + 1))
    )
    taken: list[tuple[int, int]] = []
    found = list(_relative(text, today, years, taken))
    fixed = [*_exact(lower, meant, taken), *_months(lower, meant, taken)]
    if not fixed:
        fixed = [_span(season_days(y, m[1])) for m in _SEASON.finditer(lower) if _free(m, taken) for y in meant]
    if not fixed and not found:
        fixed = [_span(year_days(year), "year") for year in named]
    return tuple(dict.fromkeys([*found, *fixed]))


def _span(days: Days, kind: str = "") -> Span:
    first, last = (day.toordinal() for day in days)
    return Span(first, last, kind or ("day" if first == last else "period"))


def _free(match: re.Match[str], taken: Sequence[tuple[int, int]]) -> bool:
    return not any(start < match.end() and match.start() < end for start, end in taken)


def _relative(text: str, today: date, years: Sequence[int], taken: list[tuple[int, int]]) -> Iterator[Span]:
    """Spans that count from today; a season or month by name that the space cannot know is left to the rest."""
    for match in RELATIVE.finditer(text):
        days, what = resolve(match, today), (match["what"] or "").lower()
        by_name = re.fullmatch(f"{MONTH}|{SEASON}", what)
        if days is None or (by_name and years and days[0].year not in years):
            continue
        taken.append(match.span())
        yield _span(days, "year" if what == "year" else "")


def _exact(lower: str, years: Sequence[int], taken: list[tuple[int, int]]) -> Iterator[Span]:
    for match in _ISO.finditer(lower):
        taken.append(match.span())
        yield from _days([int(match[1])], int(match[2]), int(match[3]))
    for match in _DAY.finditer(lower):
        if _free(match, taken):
            taken.append(match.span())
            yield from _days(years, MONTHS[match[2] or match[3]], int(match[1] or match[4]))


def _days(years: Sequence[int], month: int, number: int) -> Iterator[Span]:
    for year in years:
        try:
            yield _span((date(year, month, number),) * 2)
        except ValueError:
            continue  # there is no such day in that year


def _months(lower: str, years: Sequence[int], taken: Sequence[tuple[int, int]]) -> Iterator[Span]:
    for match in _MONTH.finditer(lower):
        before, name = lower[: match.start()], match[1]
        is_word = name in VERBS and not _MONTH_BEFORE.search(before)
        if not _free(match, taken) or (is_word and not _YEAR_AFTER.match(lower, match.start())):
            continue
        for year in years:
            first, last = month_days(year, MONTHS[name])
            if _EARLY.search(before):
                last = first + timedelta(10)
            elif _MIDDLE.search(before):
                first, last = first + timedelta(8), first + timedelta(20)
            elif _LATE.search(before):
                first = last - timedelta(12)
            yield _span((first, last))
