from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.mentions import mentions

WEDNESDAY = date(2023, 5, 10)


def found(text: str, day: date = WEDNESDAY) -> list[tuple[str, str]]:
    return [(date.fromordinal(a).isoformat(), date.fromordinal(b).isoformat()) for a, b in mentions(text, day)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("yesterday", "2023-05-09", "2023-05-09"),
        ("The day before yesterday", "2023-05-08", "2023-05-08"),
        ("tonight", "2023-05-10", "2023-05-10"),
        ("tomorrow", "2023-05-11", "2023-05-11"),
        ("last week", "2023-05-01", "2023-05-07"),
        ("this week", "2023-05-08", "2023-05-14"),
        ("next week", "2023-05-15", "2023-05-21"),
        ("this past weekend", "2023-05-06", "2023-05-07"),
        ("last month", "2023-04-01", "2023-04-30"),
        ("next year", "2024-01-01", "2024-12-31"),
        ("last Friday", "2023-05-05", "2023-05-05"),
        ("next Wednesday", "2023-05-17", "2023-05-17"),
        ("on Tuesday", "2023-05-09", "2023-05-09"),
        ("last May", "2022-05-01", "2022-05-31"),
        ("last summer", "2022-06-01", "2022-08-31"),
        ("next winter", "2023-12-01", "2024-02-29"),
        ("3 days ago", "2023-05-07", "2023-05-07"),
        ("two months ago", "2023-02-24", "2023-03-26"),
        ("a couple of weeks ago", "2023-04-23", "2023-04-29"),
        ("in June", "2023-06-01", "2023-06-30"),
        ("June 5", "2023-06-05", "2023-06-05"),
        ("5 June 2021", "2021-06-05", "2021-06-05"),
        ("June 5th, 2021", "2021-06-05", "2021-06-05"),
        ("June 2021", "2021-06-01", "2021-06-30"),
        ("2021-06-05", "2021-06-05", "2021-06-05"),
        ("back in 2021", "2021-01-01", "2021-12-31"),
    ],
)
def test_a_named_time_is_resolved_against_the_day_of_the_text(text: str, start: str, end: str) -> None:
    assert found(f"We met {text}.") == [(start, end)]


def test_on_a_sunday_last_weekend_reaches_into_the_one_that_has_begun() -> None:
    assert found("last weekend", date(2023, 5, 14)) == [("2023-05-06", "2023-05-13")]


def test_may_and_march_in_lower_case_are_verbs() -> None:
    assert found("this may help, we march on") == []


def test_a_day_that_does_not_exist_leaves_the_month() -> None:
    assert found("June 31") == [("2023-06-01", "2023-06-30")]


def test_a_time_outside_the_calendar_is_left_out() -> None:
    assert found("999999 years ago") == []
    assert found("tomorrow", date.max) == []


@given(st.text(), st.dates())
def test_spans_run_forwards_whatever_the_text(text: str, day: date) -> None:
    assert all(start <= end for start, end in mentions(text, day))


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2090, 1, 1)))
def test_last_friday_is_a_friday_of_the_seven_days_before(day: date) -> None:
    [(start, end)] = mentions("last friday", day)
    assert start == end
    assert date.fromordinal(start).weekday() == 4
    assert timedelta(1) <= day - date.fromordinal(start) <= timedelta(7)
