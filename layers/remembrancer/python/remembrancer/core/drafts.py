"""One unit of the memory block while it is being put together."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from remembrancer.core.blocks import entry_path, page_path, stamp
from remembrancer.core.choice import BUFFER, LONG_TOKENS, Item
from remembrancer.core.escaping import GAP, escape_lines, escape_tags, list_start, one_line
from remembrancer.core.sessions import line_prints, opening_print
from remembrancer.core.tokens import count, within

SHORT_TOKENS = 150


@dataclass(frozen=True)
class Part:
    """Lines of one passage, from line `start` to before `stop`; open ends are shown by a mark."""

    item: Item
    start: int
    stop: int

    @classmethod
    def of(cls, item: Item, start: int = 0) -> "Part":
        """The passage from line `start` to its end."""
        return cls(item, start, len(item.lines))

    @property
    def lines(self) -> list[str]:
        """The lines that are shown."""
        return self.item.lines[self.start : self.stop]

    @cached_property
    def text(self) -> str:
        """The lines as they stand in the block, tags not yet escaped."""
        lines = self.item.lines
        shown = lines[self.start : self.stop]
        body = [escape_lines("\n".join(shown))] if shown else []
        return "\n".join([*[GAP] * (self.start > 0), *body, *[GAP] * (self.stop < len(lines))])

    def prints(self) -> tuple[str, ...]:
        """Fingerprints of what is shown; an excerpt has that of its opening too."""
        lines = self.item.lines
        if self.stop < len(lines):
            return (*line_prints("\n".join(self.lines)), opening_print(lines[: self.stop]))
        return line_prints("\n".join(self.lines)) if self.start else self.item.prints


def longest(item: Item, start: int, least: int, fits: Callable[[Part], bool]) -> Part | None:
    """The most lines from line `start` on that fit, at least `least`; None when so many do not."""
    tried: dict[int, Part] = {}

    def too_long(lines: int) -> bool:
        tried[lines] = Part(item, start, start + lines)
        return not fits(tried[lines])

    sizes = range(least, len(item.lines) - start + 1)
    found = bisect_left(sizes, True, key=too_long)
    return tried[sizes[found - 1]] if found else None


def usual(item: Item, start: int) -> Part:
    """The rest of the passage from line `start`; of a long one the first lines: none takes all the room."""
    most = SHORT_TOKENS if item.lane == BUFFER else LONG_TOKENS
    part = longest(item, start, 1, lambda part: within(part.text, most))
    return part or (Part(item, start, start) if item.lane == BUFFER else Part.of(item, start))


@dataclass(frozen=True)
class Draft:
    """Parts of one section in document order, or the whole of a short one; or one entry."""

    first: Item
    parts: dict[int, Part] = field(default_factory=dict)
    whole: bool = False

    def with_part(self, part: Part) -> "Draft":
        """The draft with one more passage."""
        return Draft(self.first, {**self.parts, part.item.ordinal: part})

    @cached_property
    def text(self) -> str:
        """The unit as it stands in the block."""
        item = self.first
        path = entry_path(item.entry) if item.entry else page_path(item.slug, item.key)
        date = stamp(item.dated_ms) if item.dated_ms is not None else ""
        notes = " · ".join([*[one_line(item.kind)] * bool(item.kind), *[f"dated {date}"] * bool(date)])
        head = f"# {path}\n" + (f"[{notes}]\n" if notes else "")
        return escape_tags(head + (escape_lines(item.whole) if self.whole else self._passages()))

    @cached_property
    def tokens(self) -> int:
        """What the text takes."""
        return count(self.text)

    def _passages(self) -> str:
        text, before = "", -1
        for ordinal, part in sorted(self.parts.items()):
            shown = part.text
            if not text:
                text = shown
            elif ordinal > before + 1:
                text += f"\n{GAP}\n{shown}"
            else:
                text += ("\n" if list_start(shown) else "\n\n") + shown
            before = ordinal
        return text

    def cites(self) -> tuple[str, ...]:
        """The entries that the shown passages cite."""
        if self.whole:
            return tuple(dict.fromkeys((*self.first.cites, *self.first.whole_cites)))
        return tuple(dict.fromkeys(entry for part in self.parts.values() for entry in part.item.cites))

    def prints(self) -> tuple[str, ...]:
        """Fingerprints of all lines that are shown."""
        if self.whole:
            return line_prints(self.first.whole)
        return tuple(dict.fromkeys(p for part in self.parts.values() for p in part.prints()))
