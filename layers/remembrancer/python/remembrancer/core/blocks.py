"""What all blocks are made of: the frame, paths and dates."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from remembrancer.core.escaping import escape_lines, one_line

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def frame(tag: str, parts: Iterable[str]) -> str:
    """The parts, a blank line between them, between the tags."""
    return f"<{tag}>\n" + "\n\n".join(parts) + f"\n</{tag}>"


def page_path(slug: str, key: str) -> str:
    """Where a section is: `memory/concepts/<slug>.md § <key>`, without it for a lead. Tags are not escaped."""
    section = escape_lines(one_line(key))
    return f"memory/concepts/{escape_lines(one_line(slug))}.md" + (f" § {section}" if section else "")


def entry_path(entry_id: str) -> str:
    """Where an entry is: `memory/entries/<id>`. Tags are not escaped."""
    return f"memory/entries/{escape_lines(one_line(entry_id))}"


def stamp(at_ms: int) -> str:
    """`YYYY-MM-DD HH:MM UTC`; empty for an instant outside the years 1 to 9999."""
    try:
        return f"{(_EPOCH + timedelta(milliseconds=at_ms)).replace(tzinfo=None).isoformat(' ', 'minutes')} UTC"
    except OverflowError:
        return ""
