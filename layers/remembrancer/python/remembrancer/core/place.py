"""Which page, and which section of it, a fact goes to when no model decides."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from remembrancer.core.entries import Entry
from remembrancer.core.prose import capital, spoken
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
# fmt: on


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
    """A slug's last segment as a title: `teams/data-platform` is `Data platform`, of people `Ada Lind`."""
    return capital(spoken(slug))


def _hint_slug(hint: str, titles: Mapping[str, str]) -> str:
    known = titles.get(hint.casefold())
    if known:
        return known
    return hint if is_slug(hint) else slugify(hint)


def _hint_title(hint: str) -> str:
    return words(hint) if is_slug(hint) else " ".join(hint.split())


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
    named: str = "",
    home: str = "",
) -> Target:
    """The first rule that fits: a hinted page, a page for the first hint, the best match, a person, the month.

    `existing` are the slugs that exist, `titles` casefolded titles to slugs, `match` the best page of a recall
    with its score, `named` who or what alone the entry names, `home` the page that has been made for it.
    """
    section = SECTIONS[entry.kind]
    hints = hinted(entry, titles)
    there = (pair for pair in hints if pair[0] in existing or titles.get(pair[1].casefold()) == pair[0])
    if chosen := next(there, hints[0] if hints else None):
        return Target(chosen[0], _hint_title(chosen[1]), section)
    if home and home in existing:
        return Target(home, named, section)
    if match and match[1] >= floor:
        return Target(match[0], words(match[0]), section)
    if home:
        return Target(home, named, section)
    return month_target(entry)


def hinted(entry: Entry, titles: Mapping[str, str]) -> list[tuple[str, str]]:
    """(slug, hint) of the pages that an entry's links mean; the folders of the service are none."""
    found = [(_hint_slug(hint, titles), hint) for hint in entry.links if hint.strip()]
    return [(slug, hint) for slug, hint in found if not is_reserved(slug)]


def homes(name: str) -> list[str]:
    """The slugs under which a page about somebody or something may stand, the usual one for a person first."""
    slug = slugify(name)
    return [f"people/{slug}", slug]
