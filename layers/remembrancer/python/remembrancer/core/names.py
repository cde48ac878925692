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


@dataclass(slots=True)
class Cast:
    """All that a space's texts name. A first name stands for the one full name that begins with it."""

    counts: Counter[str] = field(default_factory=Counter)
    """How many entries name each."""
    inside: set[str] = field(default_factory=set)
    """Names that occur inside a sentence, where a capital letter means something."""
    full: dict[str, str] = field(default_factory=dict)
    places: Counter[str] = field(default_factory=Counter)

    def of(self, entry: Entry) -> list[str]:
        """Whom and what a text names, by full names, each once; links count by what they are called."""
        found = (self.sure(name) if _starts(before) else name for before, name in _found(_called(entry)))
        return list(dict.fromkeys(self.full.get(name, name) for name in found if name))

    def sure(self, name: str) -> str:
        """What a run of capitalised words names that begins a sentence; its first word may be no part of it."""
        rest = name.partition(" ")[2]
        if name in self.inside or rest in self.inside:
            return name if name in self.inside else rest
        return name if rest else ""

    def person(self, name: str) -> bool:
        """False for what is mostly said to be in, at, from or around."""
        return 2 * self.places[name] < self.counts[name]


@dataclass(slots=True)
class Heard:
    """How many entries say each run of capitalised words, and where: what a cast is made of. Can be added up."""

    inside: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)
    at: Counter[str] = field(default_factory=Counter)
    called: Counter[str] = field(default_factory=Counter)
    """Names inside a sentence, or by which links go."""
    called_first: Counter[str] = field(default_factory=Counter)

    def add(self, entry: Entry, sign: int = 1) -> None:
        """Count an entry, or (sign -1) take it out."""
        plain = list(_found(_LINK.sub(" ", entry.text)))
        called = list(_found(_called(entry)))
        for counter, names in (
            (self.inside, {name for before, name in plain if not _starts(before)}),
            (self.first, {name for before, name in plain if _starts(before)}),
            (self.at, {name for before, name in plain if _PLACE.search(before)}),
            (self.called, {name for before, name in called if not _starts(before)}),
            (self.called_first, {name for before, name in called if _starts(before)}),
        ):
            for name in names:
                counter[name] += sign

    def cast(self) -> Cast:
        """Everything that is named."""
        made = Cast(inside=set(+self.inside))
        longer: dict[str, set[str]] = {}
        for name in made.inside | {made.sure(name) for name in +self.first}:
            if " " in name:
                longer.setdefault(name.split()[0], set()).add(name)
        made.full = {first: next(iter(names)) for first, names in longer.items() if len(names) == 1}
        for name, count in (+self.called).items():
            made.counts[made.full.get(name, name)] += count
        for name, count in (+self.called_first).items():
            if sure := made.sure(name):
                made.counts[made.full.get(sure, sure)] += count
        for name, count in (+self.at).items():
            made.places[made.full.get(name, name)] += count
        return made


def heard(entries: Iterable[Entry]) -> Heard:
    """What these entries name."""
    made = Heard()
    for entry in entries:
        made.add(entry)
    return made


def _called(entry: Entry) -> str:
    return shown(entry.text, lambda target: " " if is_slug(target) else target)
