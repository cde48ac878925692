"""Time zones: IANA names and fixed offsets, with the rules of the date in question."""

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from remembrancer.errors import Invalid

_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})", re.ASCII)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,2}", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=256)
def parse_zone(name: str) -> tzinfo:
    """The zone of an IANA name, of `±hh:mm` or of `Z`. Raises `Invalid` (field `zone`)."""
    if name in ("Z", "UTC"):
        return UTC
    if match := _OFFSET.fullmatch(name):
        hours, minutes = int(match[2]), int(match[3])
        if hours <= 14 and minutes < 60:
            span = timedelta(hours=hours, minutes=minutes)
            return timezone(-span if match[1] == "-" else span)
    elif _NAME.fullmatch(name):
        try:
            return ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            pass  # not a zone: the error below says so
    raise Invalid("an IANA time zone or an offset such as +02:00", field="zone")


def local(ms: int, zone: str) -> datetime:
    """The instant on the clocks of the zone. Raises `Invalid` for a year outside 1 to 9999."""
    rules = parse_zone(zone)
    try:
        moment = _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        raise Invalid("a time outside the years 1 to 9999", field="at") from None
    try:
        return moment.astimezone(rules)
    except OverflowError:
        # within a day of the calendar's ends: one stored entry must not break every reader of its space
        return moment.replace(tzinfo=rules)


def day_of(ms: int, zone: str) -> date:
    """The calendar day of the instant in the zone."""
    return local(ms, zone).date()
