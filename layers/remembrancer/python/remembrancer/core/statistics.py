"""What is everywhere in a space: names and words that tell its units apart no more."""

import re
from collections import Counter
from dataclasses import dataclass, field

from remembrancer.core.english import MONTHS, NAME, WEEKDAYS, WORD, bare, base_forms

UBIQUITOUS_SHARE = 0.15
COMMON_SHARE = 0.2

_SPEAKER = re.compile(r"([A-ZÀ-ÖØ-Þ][^\s:]*(?: [A-ZÀ-ÖØ-Þ][^\s:]*){0,3}): ")


@dataclass(slots=True)
class Tally:
    """In how many units each name and each base-form word occurs. Tallies of parts of a space can be merged."""

    units: int = 0
    names: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)

    def add(self, text: str, times: int = 1) -> None:
        """Count one unit, or (times -1) take it out again.

        A `Name: ` in front names its speaker; no other first word counts as a name.
        """
        speaker = _SPEAKER.match(text)
        names = {*NAME.findall(text), *(speaker[1].split() if speaker else ())}
        self.units += times
        for name in names:
            if name.lower() not in MONTHS and name.lower() not in WEEKDAYS:
                self.names[name] += times
        for word in {bare(word) for word in WORD.findall(base_forms(text))}:
            self.words[word] += times

    def merge(self, other: "Tally") -> None:
        """Add another tally."""
        self.units += other.units
        self.names.update(other.names)
        self.words.update(other.words)

    def ubiquitous(self) -> tuple[str, ...]:
        """Names in at least 15 % of the units."""
        return tuple(sorted(name for name, count in self.names.items() if count >= UBIQUITOUS_SHARE * self.units))

    def common(self) -> tuple[str, ...]:
        """Base-form words in over 20 % of the units."""
        return tuple(sorted(word for word, count in self.words.items() if count > COMMON_SHARE * self.units))
