import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.dates import format_instant, fresh_ms, origin_ms, parse_instant
from remembrancer.core.zones import day_of, local, parse_zone
from remembrancer.errors import Invalid
from tests.golden import cases


@pytest.mark.parametrize("case", cases("origin_date"), ids=lambda c: c["name"])
def test_golden(case: dict) -> None:  # type: ignore[type-arg]
    given_, expect = case["input"], case["expect"]
    if given_["op"] == "fresh_at":
        assert fresh_ms(given_["origin_date"] or "", given_["modified_at"]) == expect
    else:
        assert origin_ms(str(given_["value"] or "")) == expect


@given(st.integers(-61_000_000_000_000, 253_000_000_000_000))
def test_an_instant_round_trips(ms: int) -> None:
    assert parse_instant(format_instant(ms), "at") == ms


@pytest.mark.parametrize(
    "text", ["", "soon", "2025-02-30", "2026-06-10T25:00", "2026-06-10T14:23+25:00", "２０２６-06-10"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_instant(text, "at")
    assert refused.value.field == "at"


@pytest.mark.parametrize(
    ("at", "zone", "day"),
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
def test_the_day_is_that_of_the_zone_on_that_date(at: str, zone: str, day: str) -> None:
    assert day_of(parse_instant(at, "at"), zone).isoformat() == day


@pytest.mark.parametrize("zone", ["", "Mars/Base", "../UTC", "+25:00", "+02:60", "Europe/../Berlin", "a" * 300])
def test_what_is_no_zone_is_refused(zone: str) -> None:
    with pytest.raises(Invalid):
        parse_zone(zone)


def test_a_time_before_the_epoch_is_a_time() -> None:
    assert local(-86_400_000, "UTC").isoformat() == "1969-12-31T00:00:00+00:00"
