"""Records that a request makes by the hundred."""

from dataclasses import fields, replace

import pytest

from remembrancer.core.records import record


@record(frozen=True, slots=True)
class Line:
    """Something with a default."""

    text: str
    number: int = 0


def test_records_are_equal_hashed_and_replaced_by_their_fields() -> None:
    assert Line("a") == Line("a", 0) != Line("a", 1)
    assert {Line("a"): 1}[Line("a")] == 1
    assert replace(Line("a"), number=2) == Line("a", 2)
    assert [field.name for field in fields(Line)] == ["text", "number"]


def test_a_record_holds_nothing_but_its_fields() -> None:
    with pytest.raises(AttributeError):
        Line("a").other = 1  # type: ignore[attr-defined]
