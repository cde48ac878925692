"""The `<info>` block: what a conversation starts with."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from remembrancer.core.blocks import frame
from remembrancer.core.buffer import lines as line_count
from remembrancer.core.buffer import write
from remembrancer.core.entries import Entry
from remembrancer.core.escaping import escape

BUFFER_LINES = 100
BUFFER_CHARS = 10_000
CORE_CHARS = 4_000
VIEW_CHARS = {"essentials": 10_000, "threads": 10_000, "recent": 2_000}
CORE = ("persona", "user", "facts", "context")


def info_block(
    core: Mapping[str, str], views: Mapping[str, str], buffer: Sequence[Entry], *, lines: int = BUFFER_LINES
) -> str:
    """The core blocks, the views and the newest pending entries, each under its heading; empty when all are."""
    parts = [(name, _cut(core.get(name, ""), CORE_CHARS, f"core/{name}.md")) for name in CORE]
    parts += [(name, _cut(views.get(name, ""), cap, f"views/{name}.md")) for name, cap in VIEW_CHARS.items()]
    parts.append(("buffer", _buffer(buffer, lines, BUFFER_CHARS)))
    full = [f"## {name.capitalize()}\n\n{escape(text)}" for name, text in parts if text]
    return frame("info", full) if full else ""


def _cut(text: str, cap: int, path: str) -> str:
    """At most `cap` characters of whole lines, then a line that says so; a first line over the cap is cut."""
    text = text.strip()
    if len(text) <= cap:
        return text
    end = text.rfind("\n", 0, cap + 1)
    kept = text[: end if end > 0 else cap].rstrip()
    return f"{kept}\n(trimmed: {len(text) - len(kept):,} more characters in {path})"


def in_buffer(entries: Sequence[Entry], lines: int = BUFFER_LINES, chars: int = BUFFER_CHARS) -> list[Entry]:
    """The entries that the block shows: newest first, whole, while lines and characters fit; never none."""
    newest = sorted(entries, key=lambda e: e.id, reverse=True)
    written = [_written(entry) for entry in newest]
    sizes = zip(accumulate(map(line_count, written)), accumulate(len(text) + 1 for text in written), strict=True)
    return newest[: max(1, sum(rows <= lines and size <= chars for rows, size in sizes))]


def _written(entry: Entry) -> str:
    return write(entry.text, entry.at_ms, entry.zone).rstrip("\n")


def _buffer(entries: Sequence[Entry], lines: int, chars: int) -> str:
    shown = [_opening_and_tail(_written(entry), lines, chars) for entry in in_buffer(entries, lines, chars)]
    older = len(entries) - len(shown)
    notice = [f"({older} older {'entry is' if older == 1 else 'entries are'} not shown)"] if older else []
    return "\n".join([*notice, *shown])


def _opening_and_tail(text: str, lines: int, chars: int) -> str:
    """The first line and the last ones; of what is still too long the first and the last characters."""
    rows = [row for row in text.split("\n") if row.strip()]
    if len(rows) > lines:
        tail = rows[max(1, len(rows) - lines + 2) :]
        text = "\n".join([rows[0], f"  (trimmed: {len(rows) - 1 - len(tail)} lines)", *tail])
    if len(text) <= chars:
        return text
    half = chars // 2
    opening, tail_ = text[:half].rstrip(), text[-half:].lstrip()
    left_out = len(text) - len(opening) - len(tail_)
    return f"{opening}\n  (trimmed: {left_out:,} characters)\n  {tail_}"
