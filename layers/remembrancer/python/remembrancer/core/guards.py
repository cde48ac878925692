"""Guards of guarded mode: differences that bigrams hardly see but that change what a fact says."""

import re
import unicodedata
from dataclasses import dataclass

from remembrancer.core.entries import normalise

# fmt: off
NEGATIONS = frozenset((
    "not", "no", "never", "none", "without", "cannot", "can't", "don't", "doesn't", "isn't", "won't",
    "dislikes", "unlike", "neither", "nor", "didn't", "wasn't", "aren't", "weren't", "hasn't", "haven't",
    "hadn't", "shouldn't", "wouldn't", "couldn't", "dislike", "nothing", "nobody",
))
# fmt: on

_LINK = re.compile(r"\[\[([^\[\]]+)\]\]")
_TOKEN = re.compile(r"[\w'-]+")
_NAME = re.compile(r"\[\[([^\[\]]+)\]\]|([\w'-]+)")
_CAPITAL = re.compile("[A-Z]")


def _target(inside: str) -> str:
    return inside.split("|", 1)[0].split("#", 1)[0].strip()


@dataclass(frozen=True, slots=True)
class Features:
    """What the guards compare of one text."""

    digits: tuple[str, ...]
    negation: tuple[str, ...]
    names: tuple[str, ...]
    tokens: tuple[str, ...]
    bag: tuple[str, ...]


def features(text: str) -> Features:
    """Take a text apart for its guards."""
    plain = unicodedata.normalize("NFKC", text).replace("\u2019", "'").strip()
    names = [
        _target(link).casefold() if link else word.casefold()
        for place, (link, word) in enumerate(_NAME.findall(plain))
        if link or (place > 0 and _CAPITAL.search(word))
    ]
    words = tuple(_TOKEN.findall(normalise(_LINK.sub(lambda m: _target(m[1]), plain))))
    return Features(
        digits=tuple(sorted(word for word in words if any(c.isdigit() for c in word))),
        negation=tuple(sorted(word for word in words if word in NEGATIONS)),
        names=tuple(names),
        tokens=words,
        bag=tuple(sorted(words)),
    )


def differing(a: Features, b: Features) -> list[str]:
    """Names of the guards that are hit; a hit keeps both texts."""
    hit = {
        "digits": a.digits != b.digits,
        "negation": a.negation != b.negation,
        "names": a.names != b.names,
        "permutation": a.tokens != b.tokens and a.bag == b.bag,
        "first_token": a.tokens[:1] != b.tokens[:1],
    }
    return [name for name, differs in hit.items() if differs]


def told_apart(a: Features, b: Features) -> bool:
    """True when any guard is hit: `differing` for many pairs."""
    return (
        a.digits != b.digits
        or a.negation != b.negation
        or a.names != b.names
        or (a.tokens != b.tokens and a.bag == b.bag)
        or a.tokens[:1] != b.tokens[:1]
    )
