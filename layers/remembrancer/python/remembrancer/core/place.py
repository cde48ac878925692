"""Which page, and which section of it, a fact goes to when no model decides."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from remembrancer.core.entries import Entry
from remembrancer.core.slugs import is_reserved, is_slug, slugify
from remembrancer.core.zones import day_of

SECTIONS = {"semantic": "Facts", "episodic": "Timeline", "procedural": "How to"}
MIN_ENTITY_ENTRIES = 3

_KIND_TITLES = {"semantic": "Facts", "episodic": "Events", "procedural": "How-to notes"}
# fmt: off
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# fmt: on
_LINK = re.compile(r"\[\[[^\[\]]*\]\]")
_NAME = re.compile(r"\b[A-Z][\w-]*\w(?: [A-Z][\w-]*\w)*")
_NOT_NAMES = frozenset((*_MONTHS, *_WEEKDAYS))


@dataclass(frozen=True, slots=True)
class Target:
    """A page by its slug, the title it gets when it is new, and the heading of the section."""

    slug: str
    title: str
    section: str

    def as_dict(self) -> dict[str, str]:
        """For a run's files; `Target(**d)` reads it back."""
        return {"slug": self.slug, "title": self.title, "section": self.section}


def words(slug: str) -> str:
    """A slug's last segment as a title: `teams/data-platform` is `Data platform`."""
    name = slug.rsplit("/", 1)[-1].replace("-", " ")
    return name[:1].upper() + name[1:]


def _hint_slug(hint: str, titles: Mapping[str, str]) -> str:
    known = titles.get(hint.casefold())
    if known:
        return known
    return hint if is_slug(hint) else slugify(hint)


def _hint_title(hint: str) -> str:
    return words(hint) if is_slug(hint) else " ".join(hint.split())


def named_entities(entry: Entry) -> list[str]:
    """The people and things that a text names, each once: runs of capitalised words inside a sentence.

    At the start of a sentence only a run of two words or more counts. Links are hints and not counted here.
    """
    text = _LINK.sub(" ", entry.text)
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        starts = not text[: match.start()].strip() or text[: match.start()].rstrip()[-1] in ".!?:\n-"
        if match.group() not in _NOT_NAMES and (" " in match.group() or not starts):
            found[match.group()] = None
    return list(found)


def month_target(entry: Entry) -> Target:
    """The page of the entry's kind and month: where a fact goes that belongs nowhere else."""
    day = day_of(entry.at_ms, entry.zone)
    title = f"{_KIND_TITLES[entry.kind]} of {_MONTHS[day.month - 1]} {day.year}"
    return Target(f"notes/{entry.kind}/{day.year:04d}-{day.month:02d}", title, SECTIONS[entry.kind])


def place(
    entry: Entry,
    *,
    existing: Collection[str],
    titles: Mapping[str, str],
    match: tuple[str, float] | None,
    floor: float,
    entity_counts: Mapping[str, int],
) -> Target:
    """The first rule that fits: a hinted page, a page for the first hint, the best match, a person, the month.

    `existing` are the hinted slugs that exist, `titles` casefolded titles to slugs, `match` the best page of a
    recall with its score, `entity_counts` how many entries name each entity.
    """
    section = SECTIONS[entry.kind]
    hints = [(_hint_slug(hint, titles), hint) for hint in entry.links if hint.strip()]
    hints = [(slug, hint) for slug, hint in hints if not is_reserved(slug)]
    for slug, hint in hints:
        if slug in existing or titles.get(hint.casefold()) == slug:
            return Target(slug, _hint_title(hint), section)
    if hints:
        slug, hint = hints[0]
        return Target(slug, _hint_title(hint), section)
    if match and match[1] >= floor:
        return Target(match[0], words(match[0]), section)
    named = named_entities(entry)
    if len(named) == 1 and entity_counts.get(named[0], 0) >= MIN_ENTITY_ENTRIES:
        return Target(f"people/{slugify(named[0])}", named[0], section)
    return month_target(entry)
