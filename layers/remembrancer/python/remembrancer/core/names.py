"""Who and what texts name, when no model reads them: capitalised words, and what all texts say of each."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from remembrancer.core.english import FUNCTION_WORDS, MONTHS, WEEKDAYS
from remembrancer.core.entries import Entry
from remembrancer.core.links import shown
from remembrancer.core.slugs import is_slug

_LINK = re.compile(r"\[\[[^\[\]]*\]\]")
_NAME = re.compile(r"\b[A-Z][\w-]*\w(?: [A-Z][\w-]*\w)*")
_PLACE = re.compile(r"\b(?:in|at|from|near|around|through|the)\s+$", re.IGNORECASE)
_NOT_NAMES = frozenset(word.capitalize() for word in (*MONTHS, *WEEKDAYS, *(f"{day}s" for day in WEEKDAYS)))


def _found(text: str) -> Iterator[tuple[str, str]]:
    """(what stands before, name) for every run of capitalised words."""
    for match in _NAME.finditer(text):
        words = match.group().split()
        while words and words[0].lower() in FUNCTION_WORDS:
            words.pop(0)
        name = " ".join(words)
        if name and name not in _NOT_NAMES and not name.isupper():
            yield text[: match.end() - len(name)], name


def _starts(before: str) -> bool:
    return not before.strip() or before.rstrip()[-1] in ".!?:\n-"


def named_entities(entry: Entry) -> list[str]:
    """The people and things that a text surely names, each once: runs of capitalised words inside a sentence.

    At the start of a sentence only a run of two words or more counts. Links are hints and not counted here.
    """
    found = _found(_LINK.sub(" ", entry.text))
    return list(dict.fromkeys(name for before, name in found if " " in name or not _starts(before)))


@dataclass(slots=True)
class Cast:
    """All that a space's texts name. A first name stands for the one full name that begins with it."""

    counts: Counter[str] = field(default_factory=Counter)
    """How many entries name each."""
    sure: set[str] = field(default_factory=set)
    full: dict[str, str] = field(default_factory=dict)
    places: Counter[str] = field(default_factory=Counter)

    def of(self, entry: Entry) -> list[str]:
        """Whom and what a text names, by full names, each once; links count by what they are called."""
        text = shown(entry.text, lambda target: " " if is_slug(target) else target)
        found = (name for before, name in _found(text) if name in self.sure or " " in name or not _starts(before))
        return list(dict.fromkeys(self.full.get(name, name) for name in found))

    def person(self, name: str) -> bool:
        """False for what is mostly said to be in, at, from or around."""
        return 2 * self.places[name] < self.counts[name]


def cast(entries: Iterable[Entry]) -> Cast:
    """Everything that these entries name."""
    known = list(entries)
    made = Cast()
    made.sure = {name for entry in known for name in named_entities(entry)}
    longer: dict[str, set[str]] = {}
    for name in made.sure:
        longer.setdefault(name.split()[0], set()).add(name)
    for first, names in longer.items():
        if len(others := names - {first}) == 1:
            made.full[first] = next(iter(others))
    for entry in known:
        made.counts.update(made.of(entry))
        at = {name for before, name in _found(_LINK.sub(" ", entry.text)) if _PLACE.search(before)}
        made.places.update({made.full.get(name, name) for name in at})
    return made
