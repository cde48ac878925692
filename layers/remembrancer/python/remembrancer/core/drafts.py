"""One unit of the memory block while it is being put together."""

from dataclasses import dataclass, field

from remembrancer.core.blocks import entry_path, page_path, stamp
from remembrancer.core.choice import Item
from remembrancer.core.escaping import GAP, escape, list_start
from remembrancer.core.sessions import line_prints, opening_print

SHORT_TOKENS = 150


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of one passage, from line `start` to before `stop`; open ends are shown by a mark."""

    item: Item
    start: int
    stop: int

    @property
    def lines(self) -> list[str]:
        """The lines that are shown."""
        return self.item.text.split("\n")[self.start : self.stop]

    @property
    def size(self) -> int:
        """How many lines the passage has in all."""
        return self.item.text.count("\n") + 1

    def text(self) -> str:
        """The lines as they stand in the block."""
        marks = (self.start > 0, self.stop < self.size)
        body = [escape("\n".join(self.lines))] if self.lines else []
        return "\n".join([*[GAP] * marks[0], *body, *[GAP] * marks[1]])

    def prints(self) -> tuple[str, ...]:
        """Fingerprints of what is shown; an excerpt has that of its opening too."""
        opening = (opening_print(self.item.text.split("\n")[: self.stop]),) if 0 < self.stop < self.size else ()
        return (*line_prints("\n".join(self.lines)), *opening)


@dataclass(frozen=True, slots=True)
class Draft:
    """Parts of one section in document order, or the whole of a short one; or one entry."""

    first: Item
    parts: dict[int, Part] = field(default_factory=dict)
    whole: bool = False

    def with_part(self, part: Part) -> "Draft":
        """The draft with one more passage."""
        return Draft(self.first, {**self.parts, part.item.ordinal: part})

    def text(self) -> str:
        """The unit as it stands in the block."""
        item = self.first
        path = entry_path(item.entry) if item.entry else page_path(item.slug, item.key)
        date = stamp(item.dated_ms) if item.dated_ms is not None else ""
        notes = " · ".join([*[item.kind] * bool(item.kind), *[f"dated {date}"] * bool(date)])
        head = f"# {path}\n" + (f"[{notes}]\n" if notes else "")
        return head + (escape(item.whole) if self.whole else self._passages())

    def _passages(self) -> str:
        text, before = "", -1
        for ordinal, part in sorted(self.parts.items()):
            shown = part.text()
            if not text:
                text = shown
            elif ordinal > before + 1:
                text += f"\n{GAP}\n{shown}"
            else:
                text += ("\n" if list_start(shown) else "\n\n") + shown
            before = ordinal
        return text

    def prints(self) -> tuple[str, ...]:
        """Fingerprints of all lines that are shown."""
        if self.whole:
            return line_prints(self.first.whole)
        return tuple(dict.fromkeys(p for part in self.parts.values() for p in part.prints()))
