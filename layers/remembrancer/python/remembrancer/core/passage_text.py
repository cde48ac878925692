"""A passage read for search: its statement, the day that it begins with, and whether it only leads on."""

import re
from collections.abc import Set

from remembrancer.core.catalogue import PageHead
from remembrancer.core.dates import origin_ms
from remembrancer.core.filing import SOURCE
from remembrancer.core.sections import Passage, Section

MAX_LINK_WORDS = 2
"""Words beside its links in a line that only leads to other pages, as in "Part of [[x]]."."""

_NOON_MS = 12 * 3_600_000
_LINK = re.compile(r"\[\[[^\[\]]*\]\]")
_WORD = re.compile(r"\w+")
_MARK = re.compile(r"^\s*(?:[-*+]|[0-9]{1,9}[.)]|#{1,6})\s+")
_DATED = re.compile(r"^([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9-]):?\s*")


def plain(passage: Passage) -> str:
    """The passage for search: without list mark, leading day and line breaks."""
    return " ".join(_DATED.sub("", _MARK.sub("", passage.text)).split())


def dated_ms(passage: Passage) -> int | None:
    """Noon (UTC) of the day that a passage begins with: nearly every zone calls that instant the same day."""
    found = _DATED.match(_MARK.sub("", passage.text))
    midnight = origin_ms(found[1]) if found else None
    return None if midnight is None else midnight + _NOON_MS


def leads_on(section: Section, head: PageHead, passage: Passage, below: Set[str]) -> bool:
    """True when a page that rules made only repeats here what stands on lines of its own, or names other pages."""
    if head.source != SOURCE:
        return False
    if passage.entries:
        return not section.heading and below >= set(passage.entries)
    return head.kind == "index" or len(_WORD.findall(_LINK.sub("", plain(passage)))) <= MAX_LINK_WORDS
