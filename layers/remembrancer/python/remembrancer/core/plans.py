"""What is still open: goals, and plans with a day that is not over. Told from texts by rules, in English.

A later text closes a plan when it says that something is done in the plan's own words.
"""

import re
from collections.abc import Sequence
from datetime import date

from remembrancer.core.english import FUNCTION_WORDS, MONTHS, WEEKDAYS
from remembrancer.core.entries import Entry, normalise
from remembrancer.core.links import shown
from remembrancer.core.mentions import mentions
from remembrancer.core.zones import day_of

LONGEST = 31
"""Days of a span that still dates a plan; a year does not."""
SHARED = 0.75
"""Of a plan's words, how many a text must repeat to be about that plan."""

_GOAL = re.compile(
    r"\b(?:plans?|planning|planned|wants? to|would like|goals?|to-?do|needs? (?:to|an?|new|another|more)|has to|"
    r"have to|must|intends?|hopes?|will(?! be)|promised|deadline|due|remind|remember|follow(?:s|ing)?[- ]?up|"
    r"next (?:week|month|year|step)|upcoming|scheduled|working on|in progress|waiting for|looking for|"
    r"open question)\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|finished|completed|cancell?ed|closed|resolved|no longer|returned|ordered|paid|signed|sent|"
    r"delivered|submitted|bought|answered|settled)\b",
    re.IGNORECASE,
)
_ISO_DAY = re.compile(r"(?<![\d-])(\d{4}-\d{2}-\d{2})(?![\d-])")
_WHEN = re.compile(r"(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])|(?<![\d:])\d{1,2}:\d{2}(?![\d:])")
_WORD = re.compile(r"[^\W_]+")
_PLANNING = """
plan plann goal todo need want would like must intend hope will due deadline remind remember next week month year
today tomorrow open question now still already until
"""
_NO_CONTENT = frozenset((*_PLANNING.split(), *MONTHS, *WEEKDAYS))


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def content(text: str) -> frozenset[str]:
    """The words that say what a plan is about: no function words, links, dates, numbers or words of planning."""
    said = _WHEN.sub(" ", normalise(shown(text, lambda _: " ")))
    words = (word for word in _WORD.findall(said) if len(word) > 2 and not word.isdigit())
    kept = (word for word in words if word not in FUNCTION_WORDS and word not in _NO_CONTENT)
    return frozenset(stem for stem in map(_stem, kept) if stem not in _NO_CONTENT)


def is_goal(entry: Entry) -> bool:
    """True for a text that says what somebody means to do."""
    return entry.kind != "procedural" and bool(_GOAL.search(entry.text))


def says_done(entry: Entry) -> bool:
    """True for a text that says that something is over."""
    return bool(_DONE.search(entry.text))


def days(entry: Entry, zone: str) -> list[tuple[date, date]]:
    """First and last day of each time that a plan names, long spans aside; a weekday is the next one.

    An event that names none has its own day.
    """
    if is_goal(entry):
        own = day_of(entry.at_ms, entry.zone)
        spans = [(date.fromordinal(a), date.fromordinal(b)) for a, b in mentions(entry.text, own, ahead=True)]
        found = [(first, last) for first, last in spans if (last - first).days < LONGEST]
    else:
        found = [(day, day) for text in _ISO_DAY.findall(entry.text) if (day := _day(text))]
    here = day_of(entry.at_ms, zone)
    return found if found or entry.kind != "episodic" else [(here, here)]


def standing(entry: Entry) -> tuple[int, bool, bool]:
    """Its last day as YYYYMMDD, else 0; whether it is a plan; whether it is an open goal without a day.

    Days are counted in the entry's own zone; whoever compares them allows for another one.
    """
    named, plan = days(entry, entry.zone), is_goal(entry)
    until = max((int(f"{last:%Y%m%d}") for _, last in named), default=0)
    return until, plan and bool(named), plan and not named and not says_done(entry)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def passed(entry: Entry, zone: str, today: date) -> bool:
    """True for a plan all of whose days are over."""
    return is_goal(entry) and bool(named := days(entry, zone)) and max(last for _, last in named) < today


def closed(plan: Entry, others: Sequence[tuple[Entry, frozenset[str]]], *, dated: bool) -> bool:
    """True when a later one of these entries (with its words) says that the plan is done.

    What has happened closes a plan without a day; one with a day ahead is closed only by saying so.
    """
    words = content(plan.text)
    for entry, said in others if len(words) > 1 else ():
        over = says_done(entry) or (entry.kind == "episodic" and not dated)
        later = (entry.at_ms, entry.id) > (plan.at_ms, plan.id)
        if over and later and len(words & said) >= SHARED * len(words):
            return True
    return False


def occasion(entry: Entry) -> str:
    """What two facts have in common that differ in nothing but a date or a time of day."""
    return _WHEN.sub("#", normalise(entry.text))


def current(entries: Sequence[Entry]) -> list[Entry]:
    """The active entries, without facts that were said again later with another date or time."""
    latest: dict[str, Entry] = {}
    for entry in sorted((e for e in entries if e.active), key=lambda e: (e.said_ms, e.at_ms, e.id)):
        latest[occasion(entry) if entry.kind == "semantic" else entry.id] = entry
    return list(latest.values())
