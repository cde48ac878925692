import zoneinfo
from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.dates import parse_instant
from remembrancer.core.zones import day_of, local, parse_zone
from remembrancer.errors import Invalid

ZONES = ("UTC", "America/New_York", "Asia/Tokyo", "Asia/Kathmandu")


def at(text: str) -> int:
    return parse_instant(text, "at")


@pytest.fixture
def only_tzdata() -> Iterator[None]:
    """No database of the system, as in a Lambda function."""
    zoneinfo.reset_tzpath(to=[])
    zoneinfo.ZoneInfo.clear_cache()
    parse_zone.cache_clear()
    yield
    zoneinfo.reset_tzpath()
    zoneinfo.ZoneInfo.clear_cache()
    parse_zone.cache_clear()


@pytest.mark.parametrize(
    ("instant", "zone", "clock"),
    [
        ("2026-01-15T12:00Z", "UTC", "2026-01-15T12:00:00+00:00"),
        ("2026-01-15T12:00Z", "America/New_York", "2026-01-15T07:00:00-05:00"),
        ("2026-07-15T12:00Z", "America/New_York", "2026-07-15T08:00:00-04:00"),
        ("2026-07-15T12:00Z", "Asia/Tokyo", "2026-07-15T21:00:00+09:00"),
        ("2026-07-15T12:00Z", "Asia/Kathmandu", "2026-07-15T17:45:00+05:45"),
        ("2026-07-15T12:00Z", "-03:30", "2026-07-15T08:30:00-03:30"),
        ("2026-07-15T12:00Z", "+0545", "2026-07-15T17:45:00+05:45"),
        ("2026-07-15T12:00Z", "Z", "2026-07-15T12:00:00+00:00"),
        ("1969-12-31T00:00Z", "UTC", "1969-12-31T00:00:00+00:00"),
    ],
)
@pytest.mark.usefixtures("only_tzdata")
def test_a_zone_has_the_rules_of_the_date(instant: str, zone: str, clock: str) -> None:
    assert local(at(instant), zone).isoformat() == clock


@pytest.mark.parametrize(
    ("instant", "zone", "day"),
    [
        ("2026-01-01T04:30:00Z", "America/New_York", "2025-12-31"),
        ("2026-07-01T03:30:00Z", "America/New_York", "2026-06-30"),
        ("2026-06-10T19:00:00-05:00", "-05:00", "2026-06-10"),
        ("2026-06-10T16:00:00Z", "Asia/Tokyo", "2026-06-11"),
        ("2026-06-10T18:20:00Z", "Asia/Kathmandu", "2026-06-11"),
        ("2026-06-10T18:10:00Z", "Asia/Kathmandu", "2026-06-10"),
        ("2026-06-10T23:59:00Z", "UTC", "2026-06-10"),
    ],
)
def test_the_day_is_that_of_the_zone(instant: str, zone: str, day: str) -> None:
    assert day_of(at(instant), zone) == date.fromisoformat(day)


@given(st.integers(-60_000_000_000_000, 250_000_000_000_000), st.sampled_from(ZONES))
def test_a_zone_moves_the_clock_and_not_the_instant(ms: int, zone: str) -> None:
    assert local(ms, zone) == local(ms, "UTC")
    assert abs(day_of(ms, zone) - day_of(ms, "UTC")) <= timedelta(days=1)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("end", "year"), [("0001-01-01", 1), ("9999-12-31T23:59:59.999Z", 9999)])
def test_every_zone_has_a_day_at_the_ends_of_the_calendar(zone: str, end: str, year: int) -> None:
    assert day_of(at(end), zone).year == year


def test_a_time_outside_the_calendar_is_refused() -> None:
    with pytest.raises(Invalid):
        local(10**15, "UTC")


@pytest.mark.parametrize(
    "zone",
    [
        *(
            "",
            " ",
            "Mars/Base",
            "America",
            "../UTC",
            "/etc/passwd",
            "Europe/../Berlin",
            "a" * 300,
            "UTC\n",
            "a\0b",
        ),
        *("+25:00", "+02:60", "+2:00", "02:00", "+\u0660\u0662:\u0660\u0660", "+15:00"),
    ],
)
def test_what_is_no_zone_is_refused(zone: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_zone(zone)
    assert refused.value.field == "zone"
