"""What a message asks for: words for the index, text for the embedder, names and dates for the score."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from remembrancer.core.english import (
    FUNCTION_FORMS,
    WORD,
    asks_when,
    asks_where,
    bare,
    base_form,
    base_forms,
)
from remembrancer.core.links import wikilinks
from remembrancer.core.spans import Span, query_spans

RARE_ENOUGH = 4

_QUOTED = re.compile(r"[\"“”«»„]([^\"“”«»„]{2,60})[\"“”«»„]")
_OUTSIDE = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, slots=True)
class Analysis:
    """A message taken apart. `lexical` and `dense` are empty when there is nothing to search for.

    `entities` are names, quoted words and link targets as they stand; which of them the space knows is seen in the
    hits. `everywhere` are the names, case folded, that the space's units have in common. `zone` is where the days
    of `spans` are counted.
    """

    lexical: str
    dense: str
    entities: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    asks_when: bool = False
    asks_where: bool = False
    links: tuple[str, ...] = ()
    zone: str = "UTC"
    everywhere: frozenset[str] = frozenset()


def analyse(
    message: str,
    *,
    ubiquitous: Sequence[str],
    common: Collection[str],
    years: Sequence[int],
    now_ms: int,
    zone: str,
) -> Analysis:
    """Take a message apart. `ubiquitous`, `common` and `years` are the space's: names, base-form words, years."""
    links = tuple(wikilinks(message))
    return Analysis(
        lexical=lexical(message, common),
        dense=strip_names(message, ubiquitous),
        entities=tuple(dict.fromkeys([*_capitalised(message), *_QUOTED.findall(message), *links])),
        spans=query_spans(message, years, now_ms, zone),
        asks_when=asks_when(message.strip()),
        asks_where=asks_where(message.strip()),
        links=links,
        zone=zone,
        everywhere=frozenset(name.casefold() for name in ubiquitous),
    )


def lexical(message: str, common: Collection[str]) -> str:
    """The message's words in base form, without function words, then without `common` ones while four others stay.

    Each step keeps everything rather than nothing. Text that is not words (emoji, punctuation) is left out.
    """
    words = [bare(word) for word in WORD.findall(base_forms(message))]
    words = [word for word in words if word not in FUNCTION_FORMS] or words
    rare = [word for word in words if word not in common]
    return " ".join(rare if len(rare) >= RARE_ENOUGH else words)


def strip_names(message: str, names: Collection[str]) -> str:
    """The message without these names where they stand capitalised behind the first word, if anything is left.

    What every unit of a space is about does not tell one from another, but would pull all vectors to one place.
    """
    known = {name.casefold() for name in names}
    words = message.split()
    kept = [word for place, word in enumerate(words) if not (place and _is_name(word, known))]
    text = " ".join(kept)
    return text if WORD.search(text) else message


def _is_name(word: str, known: Collection[str]) -> bool:
    plain = _OUTSIDE.sub("", word)
    return plain[:1].isupper() and bare(plain).casefold() in known


def _capitalised(message: str) -> list[str]:
    found = (re.sub(r"['\u2019]s$", "", word) for word in WORD.findall(message))
    return [
        word for word in found if word[0].isupper() and len(word) > 1 and base_form(word) not in FUNCTION_FORMS
    ]
