from datetime import UTC, datetime

import pytest

from remembrancer.core.dated import date_signals
from remembrancer.core.spans import Span
from remembrancer.core.units import Hit, Unit

MAY_8 = datetime(2023, 5, 8, tzinfo=UTC).toordinal()
MAY = Span(MAY_8 - 7, MAY_8 + 23, "period")
DAY = Span(MAY_8, MAY_8, "day")
YEAR = Span(datetime(2023, 1, 1).toordinal(), datetime(2023, 12, 31).toordinal(), "year")


def hit(day: int | None, *mentions: tuple[int, int], hour: int = 12) -> Hit:
    at = None if day is None else ((day - datetime(1970, 1, 1).toordinal()) * 24 + hour) * 3_600_000
    unit = Unit("entry", "x", 0, 1, "x", "x", "x", "x", at_ms=at, mentions=mentions)
    return Hit("x", unit, {})


def signal(one: Hit, *spans: Span, zone: str = "UTC") -> float:
    return date_signals([one], spans, zone)[0]


@pytest.mark.parametrize(("gap", "expected"), [(0, 1.0), (1, 0.6 * 7 / 8), (-7, 0.6 / 8), (8, 0.0), (-8, 0.0)])
def test_a_day_counts_in_full_and_those_around_it_ever_less(gap: int, expected: float) -> None:
    assert signal(hit(MAY_8 + gap), DAY) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (MAY.start, 0.7),
        (MAY.end, 0.7),
        (MAY.end + 1, 0.35),
        (MAY.end + 31, 0.35),
        (MAY.end + 32, 0),
        (MAY.start - 1, 0),
    ],
)
def test_a_month_counts_inside_and_less_in_the_month_after(day: int, expected: float) -> None:
    assert signal(hit(day), MAY) == pytest.approx(expected)


def test_a_date_in_the_text_counts_unless_it_is_much_longer_than_the_span() -> None:
    far = MAY_8 + 300
    assert signal(hit(far, (MAY_8, MAY_8)), DAY) == pytest.approx(0.35)
    assert signal(hit(far, (MAY_8 - 31, MAY_8)), DAY) == pytest.approx(0.35)
    assert signal(hit(far, (MAY_8 - 32, MAY_8)), DAY) == 0


def test_a_unit_without_a_date_may_still_mention_one() -> None:
    assert signal(hit(None, (MAY_8, MAY_8)), DAY) == pytest.approx(0.35)


def test_a_year_counts_only_while_it_tells_the_hits_apart() -> None:
    inside, outside = hit(MAY_8), hit(MAY_8 + 400)
    assert date_signals([inside, outside], [YEAR], "UTC") == pytest.approx([0.7, 0.0])
    assert date_signals([inside] * 9 + [outside], [YEAR], "UTC") == [0.0] * 10


def test_the_signal_is_never_over_one() -> None:
    assert signal(hit(MAY_8, (MAY_8, MAY_8)), DAY, MAY) == 1.0


def test_days_are_counted_in_the_callers_zone() -> None:
    late = hit(MAY_8 - 1, hour=23)
    assert signal(late, DAY) < 1
    assert signal(late, DAY, zone="Europe/Berlin") == 1.0


def test_without_dates_there_is_no_signal() -> None:
    assert date_signals([hit(MAY_8)], [], "UTC") == [0.0]
