"""Where a bullet stands among the others of its section, and what it says when another one contradicts it."""

import re
from collections.abc import Collection, Mapping
from datetime import date

from remembrancer.core.bullets import Blocks, bullet, day_at, marker, refs, scope
from remembrancer.core.entries import Entry
from remembrancer.core.fences import in_fence
from remembrancer.core.zones import day_of

_NOTED = re.compile(r" \(noted \d{4}-\d{2}-\d{2}\)(?=(?: \^[0-9A-Z]{26})+$)", re.ASCII)


def _newer(one: Entry, other: Entry) -> bool:
    return (one.said_ms, one.at_ms, one.id) > (other.said_ms, other.at_ms, other.id)


def outdated(entry: Entry, known: Mapping[str, Entry], among: Collection[str]) -> bool:
    """True when one `among` these ids contradicts the entry and was said later."""
    return any(id in among and id in known and _newer(known[id], entry) for id in entry.conflicts)


def _noted_day(entry: Entry) -> date:
    return day_of(entry.said_ms, entry.zone)


def _rivals(entry: Entry, known: Mapping[str, Entry]) -> set[str]:
    """What contradicts a fact and was said on another day; of one day they are a series rather than a change."""
    if entry.kind == "episodic":
        return set()
    return {id for id in entry.conflicts if id in known and _noted_day(known[id]) != _noted_day(entry)}


def insert(part: list[str], rows: list[str], entry: Entry, known: Mapping[str, Entry]) -> None:
    """Put a bullet into a section's list; sub-headings stay behind it.

    An event goes where its time belongs, a fact above the older ones that it contradicts, others to the end.
    """
    code = in_fence([line.rstrip("\n") for line in part])
    at = next((i for i in range(1, len(part)) if part[i].startswith("###") and not code[i]), len(part))
    while at > 1 and not part[at - 1].strip():
        at -= 1
    tops = [i for i in range(1, at) if marker(part[i]) and not part[i][0].isspace() and not code[i]]
    if tops and marker(part[tops[-1]]) in ("*", "+"):
        rows = [marker(part[tops[-1]]) + rows[0][1:], *rows[1:]]
    listed = bool(tops) and scope(part, tops[-1])[1] == at
    if entry.kind == "episodic":
        before = [i for i in tops if day_at(part[i]) and _later(part[i], day_at(rows[0]), entry, known)]
    else:
        rivals = _rivals(entry, known)
        before = [i for i in tops if any(id in rivals and _newer(entry, known[id]) for id in refs(part[i]))]
    if before:
        at, listed = before[0], True
    if at == 1 and part[1:2] == ["\n"]:
        at = 2
    elif not listed and part[at - 1].strip():
        rows = ["\n", *rows]
    if at < len(part) and part[at].strip() and not marker(part[at]):
        rows = [*rows, "\n"]
    part[at:at] = rows


def _later(line: str, day: str, entry: Entry, known: Mapping[str, Entry]) -> bool:
    if day_at(line) != day:
        return day_at(line) > day
    cited = refs(line)
    other = known.get(cited[-1]) if cited else None
    return (other.at_ms, other.id) > (entry.at_ms, entry.id) if other else cited > [entry.id]


def date_rivals(parts: Blocks, known: Mapping[str, Entry], slug: str, title: str) -> None:
    """Let facts that contradict each other say when they were noted, and others not; lines of people stay."""
    here = {id for part in parts[1:] for line in part for id in refs(line)}
    for part in parts[1:]:
        for at in range(len(part) - 1, 0, -1):
            cited = refs(part[at])
            entry = known.get(cited[0]) if len(cited) == 1 else None
            own = bool(marker(part[at])) and not part[at][0].isspace()
            if entry is None or entry.kind == "episodic" or not own:
                continue
            mark, row = marker(part[at]), part[at].rstrip("\n")
            if f"-{_NOTED.sub('', row[len(mark) :])}\n" == bullet(entry, slug, title)[0]:
                noted = bool(_rivals(entry, known) & here)
                part[at] = mark + bullet(entry, slug, title, noted=noted)[0][1:]
