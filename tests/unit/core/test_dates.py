from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.dates import format_instant, fresh_ms, origin_ms, parse_instant
from remembrancer.errors import Invalid
from tests.golden import cases


@pytest.mark.parametrize("case", cases("origin_date"), ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    given_, expect = case["input"], case["expect"]
    if given_["op"] == "fresh_at":
        assert fresh_ms(given_["origin_date"] or "", given_["modified_at"]) == expect
    else:
        assert origin_ms(given_["value"]) == expect


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2026-06-10", 1_781_049_600_000),
        ("2026-06-10T14:23", 1_781_101_380_000),
        ("2026-06-10T14:23:00+0200", 1_781_094_180_000),
        ("2026-06-10T14:23:00.1239Z", 1_781_101_380_123),
        ("1969-12-31T23:59:59.9999Z", -1),
        ("1970-01-01", 0),
        ("2025-02-30", None),
        ("2026-06-10 14:23", None),
        ("2026-06-10\n", None),
        ("\u0662\u0660\u0662\u0666-\u0660\u0666-\u0661\u0660", None),
        ("0001-01-01T00:00+02:00", None),
    ],
)
def test_an_origin_date_is_read_strictly(text: str, ms: int | None) -> None:
    assert origin_ms(text) == ms


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_an_instant_round_trips(ms: int) -> None:
    assert parse_instant(format_instant(ms), "at") == ms


def test_an_instant_is_written_in_utc_with_milliseconds() -> None:
    assert format_instant(1_781_101_380_005) == "2026-06-10T14:23:00.005Z"
    assert format_instant(-1) == "1969-12-31T23:59:59.999Z"
    assert format_instant(-62_135_596_800_000) == "0001-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2025-02-30", "2026-06-10T25:00", "2026-06-10T14:23+25:00", "\uff12\uff10\uff12\uff16-06-10"],
)
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_instant(text, "at")
    assert refused.value.field == "at"


def test_a_page_is_as_fresh_as_its_origin_or_its_last_change() -> None:
    assert fresh_ms("1970-01-01", 5) == 0
    assert fresh_ms("2025-02-30", 5) == 5
    assert fresh_ms("", 5) == 5
