"""Fact lines of daily logs that other systems wrote: ``- [category] content `tag tag` ``."""

import re
from dataclasses import dataclass

_LINE = re.compile(r"-\s*\[([^\]]+)\]\s*(.+)")
_TAGS = re.compile(r"`([^`]*)`$")


@dataclass(frozen=True, slots=True)
class FactLine:
    """One fact of a daily log; the category may be empty."""

    content: str
    category: str = ""
    tags: tuple[str, ...] = ()


def fact_lines(text: str) -> list[FactLine]:
    """The facts of a daily log in order; every other line is passed over.

    Inline code at the end of a line is its tags, as the systems that write such logs read it.
    """
    found = []
    for line in text.splitlines():
        if match := _LINE.fullmatch(line.strip()):
            content, tags = match[2], _TAGS.search(match[2])
            content = (content[: tags.start()] if tags else content).strip()
            if content:
                found.append(FactLine(content, match[1].strip(), tuple(tags[1].split()) if tags else ()))
    return found
