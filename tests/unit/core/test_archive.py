from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.archive import FactLine, fact_lines
from tests.golden import cases


@pytest.mark.parametrize("case", cases("archive_lines"), ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    found = fact_lines(case["input"]["text"])
    assert [{"content": f.content, "category": f.category, "tags": list(f.tags)} for f in found] == case["expect"]


def test_a_log_gives_its_facts_and_nothing_else() -> None:
    log = "# Daily Log - 2026-03-04\n\n- [personal] Likes tea `drink habit`\n  more\n- [ ] todo\n- plain\n"
    assert fact_lines(log) == [FactLine("Likes tea", "personal", ("drink", "habit")), FactLine("todo")]


def test_only_code_at_the_end_is_tags() -> None:
    assert fact_lines("- [a] Use `uv` for installs") == [FactLine("Use `uv` for installs", "a")]


@given(st.text())
def test_any_text_can_be_searched_for_facts(text: str) -> None:
    assert all(fact.content == fact.content.strip() != "" for fact in fact_lines(text))
