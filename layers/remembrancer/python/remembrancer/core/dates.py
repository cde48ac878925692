"""Instants and dates as text, to UTC milliseconds and back."""

import re
from datetime import UTC, datetime, timedelta

from remembrancer.errors import Invalid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})"
    r"(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|([+-])(\d{2}):?(\d{2}))?)?",
    re.ASCII,
)


def origin_ms(text: str) -> int | None:
    """UTC milliseconds of `YYYY-MM-DD` or `YYYY-MM-DDThh:mm[:ss[.f]][Z|±hh:mm|±hhmm]`, None for anything else.

    The calendar is checked; without an offset it is UTC; a date is its midnight.
    """
    match = _ISO.fullmatch(text)
    if not match:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    micro = int((match[7] or "0")[:6].ljust(6, "0"))
    ahead = timedelta()
    if match[9]:
        hours, minutes = int(match[10]), int(match[11])
        if hours > 23 or minutes > 59:
            return None
        ahead = timedelta(hours=hours, minutes=minutes) * (-1 if match[9] == "-" else 1)
    try:
        moment = datetime(year, month, day, hour, minute, second, micro, tzinfo=UTC)
        return (moment - ahead - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return None


def parse_instant(text: str, field: str) -> int:
    """UTC milliseconds of an ISO 8601 date or time; without an offset it is UTC. Raises `Invalid`."""
    found = origin_ms(text.strip().replace(" ", "T", 1).replace("t", "T").replace("z", "Z"))
    if found is None:
        raise Invalid("a date or time in ISO 8601, for example 2026-06-10T14:23:00+02:00", field=field)
    return found


def format_instant(ms: int) -> str:
    """RFC 3339 in UTC with milliseconds and `Z`."""
    moment = _EPOCH + timedelta(milliseconds=ms)
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"


def fresh_ms(origin_date: str, modified_ms: int) -> int:
    """The instant that a page's content is from: its origin date, else its last change."""
    origin = origin_ms(origin_date) if origin_date else None
    return modified_ms if origin is None else origin
