"""Bullets with block references: how a fact is written on a page, found there, and taken out again.

Everything works on lines that keep their line ends, so that the lines it does not touch keep their bytes.
"""

import re
from collections.abc import Collection, Sequence

from remembrancer.core.entries import Entry
from remembrancer.core.fences import in_fence
from remembrancer.core.prose import escaped, readable
from remembrancer.core.zones import day_of

_ID = r"\^[0-9A-HJKMNP-TV-Z]{26}"
_ITEM = re.compile(r"[ \t]*([-*+]|\d{1,9}[.)])[ \t]+", re.ASCII)
_REFS = re.compile(rf"(?:[ \t]+{_ID})+[ \t]*$", re.ASCII)
_FORGED = re.compile(rf"(?<!\S)(?={_ID})", re.ASCII)
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?![\d-])", re.ASCII)
_NOTED = re.compile(r" \(noted \d{4}-\d{2}-\d{2}\)$", re.ASCII)

CODE = "Code:"
"""What a bullet says whose fact is nothing but code."""

Blocks = list[list[str]]
"""The lines of a body: the lead, then for each `## ` heading its line and its section."""


def blocks(body: str) -> Blocks:
    """Take a body apart at its headings outside fenced code."""
    rows = body.rstrip("\n").split("\n") if body.strip() else []
    found: Blocks = [[]]
    for row, code in zip(rows, in_fence(rows), strict=True):
        if row.startswith("## ") and not code:
            found.append([])
        found[-1].append(f"{row}\n")
    return found


def body_of(parts: Blocks) -> str:
    """Put a body together again."""
    return "".join(line for part in parts for line in part)


def heading(part: Sequence[str]) -> str:
    """The heading of a section's lines; empty for the lead."""
    return part[0][3:].strip() if part and part[0].startswith("## ") else ""


def bullet(entry: Entry, slug: str = "", title: str = "", *, noted: bool = False) -> list[str]:
    """The lines of a fact on the page `slug`: one bullet, further lines nested below it, dated when episodic.

    `noted` adds the day on which it was said last: for facts that another one contradicts.

    What looks like a reference in the text is escaped, so that a text cannot pass for another entry; so is a code
    fence that is never closed, because it would swallow what follows on the page.
    """
    text = readable(entry.text, slug, title)
    rows = [_FORGED.sub(r"\\", line.rstrip()) for line in text.split("\n") if line.strip()]
    fences = [bool(_FENCE.match(row)) for row in rows]
    rows = [row.lstrip() if fence else row for row, fence in zip(rows, fences, strict=True)]
    closed = in_fence(rows)
    rows = [f"\\{r}" if fence and not code else r for r, fence, code in zip(rows, fences, closed, strict=True)]
    if closed[0]:
        rows = [CODE, *rows]
    if entry.kind == "episodic":
        day = str(day_of(entry.at_ms, entry.zone))
        rows[0] = rows[0] if rows[0].startswith(day) else f"{day}: {rows[0]}"
    else:
        rows[0] = escaped(rows[0])
    if noted:
        rows[0] += f" (noted {day_of(entry.said_ms, entry.zone)})"
    return [f"- {rows[0]} ^{entry.id}\n", *(f"  {row}\n" for row in rows[1:])]


def refs(line: str) -> list[str]:
    """The ids of the references that end a line."""
    found = _REFS.search(line.rstrip("\r\n"))
    return found[0].replace("^", " ").split() if found else []


def plain(line: str) -> str:
    """A bullet's line without marker, references and the day on which it was noted."""
    return _NOTED.sub("", _REFS.sub("", _ITEM.sub("", line, count=1).rstrip("\r\n")).strip())


def marker(line: str) -> str:
    """The list marker that a line begins with, nested or not; empty when it is no list item."""
    found = _ITEM.match(line)
    return found[1] if found else ""


def day_at(line: str) -> str:
    """The ISO day that a bullet begins with, or an empty string."""
    found = _DAY.match(_ITEM.sub("", line, count=1).lstrip("*_"))
    return found[1] if found else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def scope(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Start and end of the list item or paragraph that a line belongs to."""
    start = at
    while not (marker(lines[start]) and (start == at or _indent(lines[start]) < _indent(lines[at]))):
        if start == 0 or not lines[start - 1].strip() or lines[start - 1].startswith("#"):
            break
        start -= 1
    item, end = bool(marker(lines[start])), at + 1
    while end < len(lines) and lines[end].strip() and not lines[end].startswith("#"):
        if _indent(lines[end]) <= _indent(lines[start]) if item else marker(lines[end]):
            break
        end += 1
    return start, end


def without(lines: Sequence[str], gone: Collection[str], *, whole: bool = False) -> list[str]:
    """The lines without the bullets and paragraphs of these entries.

    What also cites entries that stay loses only the reference; with `whole` it goes, too.
    """
    kept: list[str | None] = list(lines)
    for at, line in enumerate(lines):
        cited = refs(line)
        if kept[at] is None or not any(id in gone for id in cited):
            continue
        start, end = scope(lines, at)
        stay = any(id not in gone for other in lines[start:end] for id in refs(other))
        if stay and not whole:
            left = "".join(f" ^{id}" for id in cited if id not in gone)
            kept[at] = f"{_REFS.sub('', line.rstrip())}{left}\n"
        else:
            kept[start:end] = [None] * (end - start)
    return [line for line in kept if line is not None]
