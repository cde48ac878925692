"""A page: markdown with YAML frontmatter, read leniently and written without churn."""

from dataclasses import dataclass, field
from typing import Any


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


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page. `fields` are the known frontmatter keys that could be read, `extra` the unknown ones.

    `problems` names what was ignored; `invisible` is the reason when nothing could be read at all.
    """

    slug: str
    body: str
    fields: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    invisible: str = ""

    @property
    def title(self) -> str:
        """The title, else the last segment of the slug in words."""
        return str(self.fields.get("title") or self.slug.rsplit("/", 1)[-1].replace("-", " ").capitalize())
