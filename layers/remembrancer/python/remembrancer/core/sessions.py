"""The record of what one conversation has been sent.

A unit id is `<slug>§<section key>~<hash of its passages>` for a part of a page (a long key is replaced by its own
hash, so an id always fits a sort key), and the entry's id for an entry. One section may have several units: each
later one holds only passages that no earlier one held. `Resident.prints` says which, line by line.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MAX_KEY_BYTES = 400

_MARKER = re.compile(r"^(?:[-*+]|\d{1,9}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Resident:
    """One unit that a session has been sent in this epoch. `bytes` counts its rendered text in UTF-8.

    `prints` are the fingerprints of its lines: a passage is resident when every line of it is, in units of the
    same section. An excerpt has one more, of its opening; a unit without any holds all of its section or entry.
    `entries` are the ids that its passages cite, or its own.
    """

    unit: str
    bytes: int
    injected_ms: int
    last_selected_ms: int
    pruned: bool = False
    prints: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()

    @property
    def section(self) -> str:
        """What the units of one section have in common; the id of an entry."""
        return self.unit.rpartition("~")[0] or self.unit

    @property
    def parent(self) -> str:
        """The slug of the page, or the id of the entry."""
        return self.unit.partition("§")[0]


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """What has been injected into one conversation. `rev` 0 means that there is no record yet."""

    session_id: str
    rev: int = 0
    epoch: int = 1
    updated_ms: int = 0
    residents: Mapping[str, Resident] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pick:
    """One unit that a turn selected, by unit id, and the lane that offered it."""

    unit: str
    lane: str

    @property
    def slug(self) -> str:
        """The page of the unit; empty for an entry."""
        slug, mark, _ = self.unit.partition("§")
        return slug if mark else ""


@dataclass(frozen=True, slots=True)
class Selection:
    """All that one turn selected: a selection event."""

    at_ms: int
    session_id: str
    picks: tuple[Pick, ...] = ()


def section_id(slug: str, key: str) -> str:
    """The part of a unit id that all units of one section share."""
    long = len(key.encode(errors="replace")) > MAX_KEY_BYTES
    return f"{slug}§{_hash(key, 32) if long else key}"


def unit_id(section: str, prints: Sequence[str]) -> str:
    """The id of a unit of `section` that holds the passages with these lines."""
    return f"{section}~{_hash(' '.join(sorted(set(prints))), 12)}"


def line_prints(text: str) -> tuple[str, ...]:
    """One fingerprint for every non-blank line; list marks, case and spacing do not count."""
    lines = [_MARKER.sub("", line.strip()) for line in text.splitlines()]
    folded = [" ".join(unicodedata.normalize("NFKC", line).casefold().split()) for line in lines]
    return tuple(dict.fromkeys([_hash(line, 10) for line in folded if line]))


def opening_print(lines: Sequence[str]) -> str:
    """The fingerprint of an excerpt that shows these first lines of a passage."""
    return _hash("opening:" + "\n".join(lines), 10)


def _hash(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:digits]
