"""Text for SQLite's full-text search, which knows neither CJK words nor possessives."""

import re
import unicodedata

from remembrancer.core.documents import CJK, bounded

_RUN = re.compile(f"[{CJK}]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_](?:\w|[.'\u2019](?=\w))*")


def spread(text: str) -> str:
    """Text for the index: CJK runs as overlapping pairs, full-width letters as plain ones, no possessives."""
    plain = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", text))
    return _RUN.sub(lambda run: f" {_pairs(run[0])} ", plain)


def _pairs(run: str) -> str:
    return " ".join(run[place : place + 2] for place in range(max(1, len(run) - 1)))


def expression(text: str) -> str:
    """A query that matches any of the words; each is quoted, so nothing in the text is syntax."""
    words = dict.fromkeys(_WORD.findall(spread(bounded(text))))
    return " OR ".join(f'"{word}"' for word in words)
