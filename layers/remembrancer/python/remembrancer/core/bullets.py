"""Bullets with block references: how a fact is written on a page, found there, and taken out again.

Everything works on lines that keep their line ends, so that the lines it does not touch keep their bytes.
"""

import re
from collections.abc import Collection, Sequence

from remembrancer.core.entries import Entry
from remembrancer.core.zones import day_of

_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+")
_REFS = re.compile(r"(?:(?<=\S)[ \t]+|^[ \t]*)\^[0-9A-Za-z]+(?:[ \t]+\^[0-9A-Za-z]+)*[ \t]*$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?![\d-])")
_FORGED = re.compile(r"(?<!\S)\^(?=[0-9A-Za-z]+[ \t]*$)")


def bullet(entry: Entry) -> list[str]:
    """The lines of a fact: one bullet, further lines nested below it, dated when episodic."""
    rows = [_FORGED.sub(r"\\^", line.rstrip()) for line in entry.text.split("\n") if line.strip()]
    if entry.kind == "episodic":
        day = day_of(entry.at_ms, entry.zone)
        if not rows[0].startswith(day):
            rows[0] = f"{day}: {rows[0]}"
    nested = [f"  {row}" for row in rows[1:]]
    if _FENCE.match(rows[0]):
        return _ended([f"- {rows[0]}", *nested, f"  ^{entry.id}"])
    return _ended([f"- {rows[0]} ^{entry.id}", *nested])


def _ended(rows: Sequence[str]) -> list[str]:
    return [f"{row}\n" for row in rows]


def refs(line: str) -> list[str]:
    """The ids of the references that end a line."""
    found = _REFS.search(line.rstrip("\n"))
    return found.group().replace("^", " ").split() if found else []


def plain(lines: Sequence[str]) -> str:
    """The text of a bullet's first line, without marker and references."""
    return _REFS.sub("", _ITEM.sub("", lines[0], count=1).rstrip("\n")).strip()


def day(line: str) -> str:
    """The ISO day that a bullet begins with, or an empty string."""
    found = _DAY.match(_ITEM.sub("", line, count=1).lstrip("*_"))
    return found[1] if found else ""


def is_item(line: str) -> bool:
    """True for the first line of a list item, nested or not."""
    return bool(_ITEM.match(line))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def scope(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Start and end of the list item or paragraph that a line belongs to."""
    start = at
    while not (is_item(lines[start]) and (start == at or _indent(lines[start]) < _indent(lines[at]))):
        if start == 0 or not lines[start - 1].strip() or lines[start - 1].startswith("## "):
            break
        start -= 1
    depth, end = (_indent(lines[start]), at + 1) if is_item(lines[start]) else (-1, at + 1)
    while end < len(lines) and lines[end].strip() and _indent(lines[end]) > depth and not lines[end].startswith("## "):
        if depth < 0 and is_item(lines[end]):
            break
        end += 1
    return start, end


def fenced(lines: Sequence[str]) -> list[bool]:
    """Which lines stand in a fenced block of code that is closed, its fences included."""
    inside = [False] * len(lines)
    opened, mark = -1, ""
    for at, line in enumerate(lines):
        found = _FENCE.match(line)
        if opened < 0 and found:
            opened, mark = at, found[1]
        elif found and found[1][0] == mark[0] and len(found[1]) >= len(mark) and not line[found.end() :].strip():
            inside[opened : at + 1] = [True] * (at + 1 - opened)
            opened = -1
    return inside


def without(lines: Sequence[str], gone: Collection[str], *, whole: bool = False) -> list[str]:
    """The lines without the bullets and paragraphs of these entries.

    What also cites entries that stay loses only the reference; with `whole` it goes, too.
    """
    kept: list[str | None] = list(lines)
    for at, line in enumerate(lines):
        cited = refs(line)
        if not set(cited) & set(gone):
            continue
        start, end = scope(lines, at)
        others = {id for other in lines[start:end] for id in refs(other)} - set(gone)
        if others and not whole:
            stay = "".join(f" ^{id}" for id in cited if id not in gone)
            kept[at] = _REFS.sub("", line.rstrip("\n")) + stay + "\n"
        else:
            kept[start:end] = [None] * (end - start)
    return [line for line in kept if line is not None]
