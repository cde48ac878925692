r"""Stored text inside a block: it can neither close the block nor look like a part of its frame.

Lines: a line that looks like one of ours gets a backslash in front, one more than it has. Tags: the `<` of a block
tag becomes `&lt;` and its `>` `&gt;`; where that stands already, `&amp;lt;` and `&amp;gt;`. `unescape` undoes both
exactly. Spaces, line ends and invisible characters inside a tag do not hide it.
"""

import re
import unicodedata
from dataclasses import dataclass

TAGS = ("memory_pointer", "memory", "info")
INFO_HEADINGS = ("Persona", "User", "Facts", "Context", "Essentials", "Threads", "Recent", "Buffer")
GAP = "…"

_LIST = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_HEADERS = (
    r"# memory/concepts/[^{e}]*\.md(?: § [^{e}]+)?",
    r"# memory/entries/[^{e}]+",
    r"# Skill: [^{e}]+",
    r"# CLI command: [^{e}]+",
    r"# Skills",
)
_FRAME = (
    *_HEADERS,
    rf"## (?:{'|'.join(INFO_HEADINGS)})",
    r"\[(?:\w+ · )?dated [^{e}]*\]",
    r"\[\w+\]",
    GAP,
)


def _line(patterns: tuple[str, ...], lead: str) -> re.Pattern[str]:
    body = "|".join(patterns).replace("{e}", _ENDS)
    return re.compile(rf"(?:(?<=[{_ENDS}])|\A)({lead})(?=(?:{body})(?:[{_ENDS}]|\Z))")


_TO_ESCAPE = _line(_FRAME, r"\\*+")
_TO_UNESCAPE = _line(_FRAME, r"\\++")

_INVISIBLE = (
    r"[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]*+"
)
_NAMES = "|".join(_INVISIBLE.join(name) for name in TAGS)
_TAG = rf"({_INVISIBLE}(?:/{_INVISIBLE})?(?:{_NAMES})(?![\w-]))"
_BARE_TAG = re.compile(rf"(<|&(?:amp;)*+lt;){_TAG}(?:({_INVISIBLE})(>|&(?:amp;)*+gt;))?", re.IGNORECASE)
_SHUT_TAG = re.compile(rf"(&(?:amp;)*+lt;){_TAG}(?:({_INVISIBLE})(&(?:amp;)*+gt;))?", re.IGNORECASE)

_HEADER = re.compile(
    rf"(?:# memory/concepts/(?P<slug>[^{_ENDS}]*?)\.md(?: § (?P<key>[^{_ENDS}]+))?"
    rf"|# memory/entries/(?P<entry>[^{_ENDS}]+)|# Skill: [^{_ENDS}]+|# CLI command: [^{_ENDS}]+|# Skills)\r?"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """One unit of a block as it stands there, header included. What is not of a page has no slug and no key."""

    slug: str | None
    key: str | None
    text: str
    entry: str = ""


def escape(text: str) -> str:
    """The text as it may stand inside any block."""
    return escape_tags(escape_lines(text))


def escape_lines(text: str) -> str:
    """The first half: a backslash before every line that looks like a part of the frame."""
    framed = "#" in text or "[" in text or GAP in text  # what every line of the frame has
    return _TO_ESCAPE.sub(r"\1\\", text) if framed else text


def escape_tags(text: str) -> str:
    """The second half. Texts that are joined need it on the whole, since a tag may go over a line end."""
    return _BARE_TAG.sub(_shut, text)


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    return _TO_UNESCAPE.sub(lambda found: found[1][1:], _SHUT_TAG.sub(_bare, text))


def single_line(text: str) -> str:
    """A title, key, slug or path as it may stand in a line of a block."""
    return escape(one_line(text))


def one_line(text: str) -> str:
    """White space runs become one space, control characters go."""
    if not text.isprintable():
        text = "".join(c for c in text if c.isspace() or unicodedata.category(c) != "Cc")
    return " ".join(text.split())


def list_start(text: str) -> bool:
    """True when the text starts with a list mark."""
    return bool(_LIST.match(text))


def parse_block(inner: str) -> tuple[str, list[Piece]]:
    """What stands before the first unit, and the units. A header counts at the start and after a blank line."""
    lines = inner.split("\n")
    starts = [
        (n, found)
        for n, line in enumerate(lines)
        if (n == 0 or not lines[n - 1].strip()) and (found := _HEADER.fullmatch(line))
    ]
    ends = [n for n, _ in starts[1:]] + [len(lines)]
    preamble = "\n".join(lines[: starts[0][0]] if starts else lines).strip("\n")
    return preamble, [
        _piece(found, "\n".join(lines[n:end]).rstrip("\n")) for (n, found), end in zip(starts, ends, strict=False)
    ]


def _piece(found: re.Match[str], text: str) -> Piece:
    slug, key, entry = found["slug"], found["key"], found["entry"]
    if slug is None:
        return Piece(None, None, text, unescape(entry or ""))
    return Piece(unescape(slug), unescape(key or ""), text)


def _shut(found: re.Match[str]) -> str:
    lead, body, space, tail = found.groups()
    more = "" if tail is None else space + ("&gt;" if tail == ">" else "&amp;" + tail[1:])
    return ("&lt;" if lead == "<" else "&amp;" + lead[1:]) + body + more


def _bare(found: re.Match[str]) -> str:
    lead, body, space, tail = found.groups()
    more = "" if tail is None else space + (">" if tail == "&gt;" else "&" + tail[5:])
    return ("<" if lead == "&lt;" else "&" + lead[5:]) + body + more
