"""A body's sections and passages."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

MAX_PASSAGE = 6_000

_HEADING = re.compile(r"## (.*)", re.ASCII)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)", re.ASCII)
_REFERENCES = re.compile(r"(?:[ \t]+\^[0-9A-HJKMNP-TV-Z]{26})+[ \t]*$", re.ASCII | re.MULTILINE)
_ID = re.compile(r"\^([0-9A-HJKMNP-TV-Z]{26})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Passage:
    """One list item (with its nested lines) or paragraph. `entries` are the ids of its ` ^<id>` references.

    `text` is the passage as it is shown: without the references.
    """

    ordinal: int
    text: str
    entries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """The part under one `## ` heading; the lead (before the first heading) has an empty key and heading.

    `ordinal` counts from 0 (the lead, which always exists); `text` is the raw text under the heading.
    """

    key: str
    heading: str
    ordinal: int
    text: str
    passages: tuple[Passage, ...] = ()


def in_fence(lines: Sequence[str]) -> list[bool]:
    """For each line, whether it belongs to a closed code fence; an unclosed fence is plain text."""
    inside = [False] * len(lines)
    place = 0
    while place < len(lines):
        start = _FENCE.match(lines[place])
        if start:
            mark = start[1]
            close = re.compile(rf" {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*\r?")
            end = next((n for n in range(place + 1, len(lines)) if close.fullmatch(lines[n])), None)
            if end is not None:
                inside[place : end + 1] = [True] * (end + 1 - place)
                place = end
        place += 1
    return inside


def section_keys(headings: Iterable[str]) -> list[str]:
    """Keys of headings in order: trimmed, `#` doubled, repeats marked `#1`, `#2` and so on."""
    seen: Counter[str] = Counter()
    keys = []
    for heading in headings:
        base = heading.strip().replace("#", "##")
        keys.append(f"{base}#{seen[base]}" if seen[base] else base)
        seen[base] += 1
    return keys


def key_title(key: str) -> str:
    """The heading of a key."""
    match = re.fullmatch(r"((?:##|[^#])*)#\d+", key, re.ASCII | re.DOTALL)
    return (match[1] if match else key).replace("##", "#")


def sections(body: str) -> tuple[Section, ...]:
    """The lead and one section for every `## ` heading outside fenced code; together they cover the body."""
    lines = body.split("\n")
    fenced = in_fence(lines)
    starts = [n for n, line in enumerate(lines) if not fenced[n] and _HEADING.match(line)]
    bounds = [*starts, len(lines)]
    headings = ["", *(lines[n][3:].strip() for n in starts)]
    texts = ["\n".join(lines[: bounds[0]])]
    texts += ["\n".join(lines[a + 1 : b]) for a, b in pairwise(bounds)]
    keys = section_keys(headings)
    return tuple(
        Section(key, heading, ordinal, text, tuple(passages(text)))
        for ordinal, (key, heading, text) in enumerate(zip(keys, headings, texts, strict=True))
    )


def passages(text: str) -> Iterator[Passage]:
    """List items with their nested lines, paragraphs, fenced blocks: in order, long ones in chunks."""
    ordinal = 0
    for block in _blocks(text.split("\n")):
        raw = "\n".join(block).rstrip()
        entries = tuple(dict.fromkeys(_ID.findall(" ".join(_REFERENCES.findall(raw)))))
        shown = _REFERENCES.sub("", raw)
        for chunk in _chunks(shown):
            yield Passage(ordinal, chunk, entries)
            ordinal += 1


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    fenced = in_fence(lines)
    block: list[str] = []
    item = False
    for n, line in enumerate(lines):
        blank = not line.strip()
        starts_item = bool(_ITEM.match(line)) and not fenced[n]
        nested = line[:1] in (" ", "\t")
        ends = (starts_item and not (fenced[n] and n and fenced[n - 1])) or (
            not blank
            and block
            and not block[-1].strip()
            and not (item and nested)
            and not (fenced[n] and fenced[n - 1])
        )
        if ends and any(part.strip() for part in block):
            yield block
            block, item = [], False
        if blank and not block:
            continue
        if not block:
            item = starts_item
        block.append(line)
    if any(part.strip() for part in block):
        yield block


def _chunks(text: str) -> Iterator[str]:
    """Pieces of at most `MAX_PASSAGE` characters, cut at line ends where there are any; later ones repeat the head."""
    if len(text) <= MAX_PASSAGE:
        yield text
        return
    head = text.split("\n", 1)[0] if "\n" in text[: MAX_PASSAGE // 4] else ""
    lead = f"{head}\n" if head else ""
    rest, first = text, True
    while rest:
        room = MAX_PASSAGE - (0 if first else len(lead))
        cut = len(rest) if len(rest) <= room else rest.rfind("\n", 1, room) + 1 or room
        yield (rest[:cut] if first else lead + rest[:cut]).rstrip("\n")
        rest, first = rest[cut:], False
