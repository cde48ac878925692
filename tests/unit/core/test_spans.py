from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.spans import query_spans

NOW = int(datetime(2023, 5, 10, 23, 30, tzinfo=UTC).timestamp() * 1000)


def spans(text: str, years: tuple[int, ...] = (2022, 2023), zone: str = "UTC") -> list[tuple[str, str, str]]:
    found = query_spans(text, years, NOW, zone)
    return [(date.fromordinal(s.start).isoformat(), date.fromordinal(s.end).isoformat(), s.kind) for s in found]


@pytest.mark.parametrize(
    ("text", "start", "end", "kind"),
    [
        ("What happened on 8 May, 2023?", "2023-05-08", "2023-05-08", "day"),
        ("on the 8th of May 2023", "2023-05-08", "2023-05-08", "day"),
        ("May 8th, 2023", "2023-05-08", "2023-05-08", "day"),
        ("on 2023-05-08", "2023-05-08", "2023-05-08", "day"),
        ("in June 2023", "2023-06-01", "2023-06-30", "period"),
        ("in early June 2023", "2023-06-01", "2023-06-11", "period"),
        ("in mid-June 2023", "2023-06-09", "2023-06-21", "period"),
        ("at the end of June 2023", "2023-06-18", "2023-06-30", "period"),
        ("in the summer of 2022", "2022-06-01", "2022-08-31", "period"),
        ("during winter 2022", "2022-12-01", "2023-02-28", "period"),
        ("What did she do in 2022?", "2022-01-01", "2022-12-31", "year"),
        ("What did I say yesterday?", "2023-05-09", "2023-05-09", "day"),
        ("last week", "2023-05-01", "2023-05-07", "period"),
        ("last year", "2022-01-01", "2022-12-31", "year"),
        ("two days ago", "2023-05-08", "2023-05-08", "day"),
        ("what did we decide on Monday", "2023-05-08", "2023-05-08", "day"),
        ("last summer", "2022-06-01", "2022-08-31", "period"),
    ],
)
def test_a_question_names_days(text: str, start: str, end: str, kind: str) -> None:
    assert spans(text) == [(start, end, kind)]


def test_a_month_without_a_year_is_that_month_of_every_year_of_the_space() -> None:
    assert spans("in June") == [("2022-06-01", "2022-06-30", "period"), ("2023-06-01", "2023-06-30", "period")]


def test_a_season_outside_the_years_of_the_space_means_any_of_them() -> None:
    assert spans("last summer", (2019,)) == [("2019-06-01", "2019-08-31", "period")]


def test_a_space_whose_years_are_unknown_gets_the_last_ten_and_the_next() -> None:
    years = [start[:4] for start, _, _ in spans("in June", ())]
    assert years == [str(year) for year in range(2014, 2025)]


def test_today_is_counted_in_the_callers_zone() -> None:
    assert spans("today", zone="Pacific/Auckland") == [("2023-05-11", "2023-05-11", "day")]


def test_the_29th_of_february_is_only_in_leap_years() -> None:
    assert spans("on 29 February", (2023, 2024)) == [("2024-02-29", "2024-02-29", "day")]


@pytest.mark.parametrize("text", ["this may be wrong", "they march on", "nothing dated", "", "may I ask"])
def test_words_that_look_like_dates_are_not(text: str) -> None:
    assert spans(text) == []


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    assert all(span.start <= span.end for span in query_spans(text, (), NOW, "UTC"))
