"""The buffer as text: one stamped bullet an entry, further lines indented by two.

An entry starts at a column-0 bullet of exactly that shape; every other line continues the entry above, and lines
before the first start form one headless block.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from remembrancer.core.zones import local

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_START = re.compile(r"- \[([A-Z][a-z]{2} \d{1,2}, \d{1,2}:\d{2} [AP]M)\][ \t]*(.*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Block:
    """One entry as it stands in the text (`raw`, without its last newline); a headless block has no stamp.

    `text` is the fact: what was written, but for lines of white space only, which are empty.
    """

    raw: str
    stamp: str = ""
    text: str = ""


def clock_stamp(moment: datetime) -> str:
    """`Aug 5, 12:07 AM` of a local time."""
    half = "AM" if moment.hour < 12 else "PM"
    return f"{MONTHS[moment.month - 1]} {moment.day}, {moment.hour % 12 or 12}:{moment.minute:02d} {half}"


def stamp(at_ms: int, zone: str) -> str:
    """The stamp of an instant on the clocks of the zone."""
    return clock_stamp(local(at_ms, zone))


def format_entry(text: str, stamped: str) -> str:
    """One entry with its final newline."""
    first, *rest = text.split("\n")
    lines = [f"- [{stamped}] {first}", *(f"  {line}" if line.strip() else "" for line in rest)]
    return "\n".join(lines) + "\n"


def write(text: str, at_ms: int, zone: str) -> str:
    """One entry as it stands in the buffer, with its final newline."""
    return format_entry(text, stamp(at_ms, zone))


def write_day(day: date, entries: Iterable[tuple[str, int, str]]) -> str:
    """An archive file: the day's heading, then (text, at_ms, zone) in order."""
    heading = f"# {MONTHS[day.month - 1]} {day.day}, {day.year}\n\n"
    return heading + "".join(write(text, at_ms, zone) for text, at_ms, zone in entries)


def match_start(line: str) -> tuple[str, str] | None:
    """(stamp, text) of a line that starts an entry."""
    found = _START.fullmatch(line.rstrip())
    return (found[1], found[2]) if found else None


def read(text: str) -> list[Block]:
    """The blocks of a buffer or archive text in order; joining them gives the text back."""
    if not text:
        return []
    groups: list[list[str]] = []
    starts: list[tuple[str, str] | None] = []
    for line in text.removesuffix("\n").split("\n"):
        start = match_start(line)
        if start is not None or not groups:
            groups.append([line])
            starts.append(start)
        else:
            groups[-1].append(line)
    return [
        Block("\n".join(lines), start[0], _text(lines)) if start else Block("\n".join(lines))
        for lines, start in zip(groups, starts, strict=True)
    ]


def _text(lines: list[str]) -> str:
    first = lines[0].partition("]")[2].removeprefix(" ")
    return "\n".join([first, *(line.removeprefix("  ") for line in lines[1:])])


def join(blocks: Iterable[Block]) -> str:
    """The text of blocks."""
    return "".join(f"{block.raw}\n" for block in blocks)


def remove(text: str, consumed: Iterable[str]) -> tuple[str, int, int]:
    """The text without these raw entries, one occurrence each; how many were removed, and how many were absent."""
    waiting = Counter(consumed)
    kept = []
    removed = 0
    for block in read(text):
        if waiting[block.raw]:
            waiting[block.raw] -= 1
            removed += 1
        else:
            kept.append(block)
    return join(kept), removed, waiting.total()


def lines(text: str) -> int:
    """Non-empty lines."""
    return sum(bool(line.strip()) for line in text.split("\n"))
