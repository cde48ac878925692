"""A body's sections and passages."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from remembrancer.core.entries import text_hash
from remembrancer.core.fences import fences, in_fence

MAX_PASSAGE = 6_000
MAX_CHUNK = 1_200

_ITEM = re.compile(r"[ \t]*([-*+]|\d{1,9}[.)])(?:[ \t\r]|$)", re.ASCII)
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t\r]|$)")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}\s*$")
_REFERENCES = re.compile(r"(?:[ \t]{1,4}\^[0-9A-HJKMNP-TV-Z]{26})+[ \t]*$", re.ASCII | re.MULTILINE)
_ID = re.compile(r"\^([0-9A-HJKMNP-TV-Z]{26})", re.ASCII)
_MARK = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}:[ \t]*", re.ASCII)


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
    starts = [n for n, line in enumerate(lines) if line.startswith("## ") and not fenced[n]]
    bounds = [*starts, len(lines)]
    headings = ["", *(lines[n][3:].strip() for n in starts)]
    texts = ["\n".join(lines[: bounds[0]])]
    texts += ["\n".join(lines[a + 1 : b]) for a, b in pairwise(bounds)]
    keys = section_keys(headings)
    return tuple(
        Section(key, heading, ordinal, text, tuple(passages(text)))
        for ordinal, (key, heading, text) in enumerate(zip(keys, headings, texts, strict=True))
    )


def without_references(text: str) -> str:
    """The text of a section as it is shown: without the references that end its lines."""
    return _REFERENCES.sub("", text)


def passages(text: str) -> Iterator[Passage]:
    """List items with their nested lines, paragraphs, code blocks, tables: in order, long ones in chunks."""
    ordinal = 0
    for kind, block in _blocks(text.split("\n")):
        raw = "\n".join(line.removesuffix("\r") for line in block).rstrip()
        cited = () if kind == "code" else tuple(dict.fromkeys(_ID.findall(" ".join(_REFERENCES.findall(raw)))))
        shown = _REFERENCES.sub("", raw) if cited else raw
        head = shown.partition("\n")[0]
        if len(shown) <= MAX_PASSAGE:
            pieces = [shown]
        elif len(head) <= MAX_PASSAGE // 4:
            pieces = chunks(head, shown[len(head) + 1 :])
        else:
            pieces = chunks("", shown)
        for piece in pieces:
            yield Passage(ordinal, piece, cited)
            ordinal += 1


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The kind (text, item, code, table, heading) and the lines of each passage; rules only part them."""
    ends = dict(fences(lines))
    kind, block, depth, place = "", list[str](), 0, 0
    while place < len(lines):
        line = lines[place]
        end = ends.get(place, place + 1)
        width = len(line) - len(line.lstrip(" \t"))
        if not line.strip():
            here = kind
        elif kind == "item" and width > depth:
            here = "item"
        else:
            gap = not block or not block[-1].strip()
            here = _kind(line, gap, kind) if end == place + 1 else "code"
            goes_on = (here == "text" and kind in ("text", "item")) or here == kind == "table"
            if gap or not goes_on:
                if kind not in ("", "rule"):
                    yield kind, block
                kind, block, depth = here, [], width
        block += lines[place:end]
        place = end
    if kind not in ("", "rule"):
        yield kind, block


def _kind(line: str, gap: bool, before: str) -> str:
    if _RULE.match(line):
        return "rule"
    if _HEADING.match(line):
        return "heading"
    if line.lstrip().startswith("|"):
        return "table"
    item = _ITEM.match(line)
    wrapped = before == "text" and not gap
    # a year that begins a wrapped line ("1986. It rained") is no list
    return "item" if item and not (wrapped and item[1][:-1] not in ("", "1")) else "text"


def chunks(head: str, text: str, limit: int = MAX_PASSAGE) -> list[str]:
    """Pieces of at most `limit` characters, each under the head line, cut at line ends where there are any."""
    front = f"{head}\n" if head else ""
    room = max(1, limit - len(front))
    pieces = []
    while len(text) > room:
        cut = text.rfind("\n", 1, room + 1)
        pieces.append(front + text[: cut if cut > 0 else room])
        text = text[cut + 1 if cut > 0 else room :]
    return [*pieces, front + text] if text or not pieces else pieces


def paragraph_chunks(text: str, limit: int = MAX_CHUNK) -> list[str]:
    """Paragraphs, merged as long as they stay within `limit` characters; a longer paragraph stays whole."""
    found: list[str] = []
    used = limit + 1
    for part in filter(None, map(str.strip, text.split("\n\n"))):
        if used + len(part) <= limit:
            found[-1] += f"\n\n{part}"
        else:
            found.append(part)
            used = 0
        used += len(part) + 2
    return found or [text]


def readings(text: str) -> tuple[str, ...]:
    """The texts that a fact may have had to be shown like this: as it is, without list mark, without its day."""
    bare = _MARK.sub("", text, count=1) if _MARK.match(text) else text
    dayless = bare[match.end() :] if (match := _DAY.match(bare)) else bare
    return tuple(dict.fromkeys((text, bare, dayless)))


def fact_hashes(text: str) -> set[str]:
    """The hashes that a tombstone of the fact behind a passage may have."""
    return {text_hash(reading) for reading in readings(text)}
