"""How many tokens a text takes, without a vocabulary.

A run of characters of one class counts as its length times that class's rate, rounded up. The rates were set by
counting texts in 27 languages, markdown, code and JSON with `cl100k_base`. A language as a whole is counted
between 4 % low (Georgian) and 44 % high (Russian, Chinese), English 22 % high. A single text may be further off;
long strings of random letters are counted up to 70 % low. Joining two texts adds at most one to their counts.
"""

import re

_RATES = (
    (r"[A-Z]?[a-z]+", 1, 5),
    (r"[A-Z]+", 1, 2),
    (r"[0-9]+", 1, 3),
    (r"[ \t]{2,}", 1, 16),
    (r"[ \t]", 0, 1),
    (r"[\r\n]+", 1, 3),
    (r"[!-/:-@\[-`{-~]+", 1, 1),
    (r"[\x00-\x7f]", 1, 1),
    (r"[\u00c0-\u024f]+", 5, 4),
    (r"[\u1e00-\u1eff]+", 1, 1),
    (r"[\u0400-\u052f]+", 3, 5),
    (r"[\u0370-\u03ff]+", 11, 10),
    (r"[\u0600-\u06ff]+", 1, 1),
    (r"[\u0900-\u0e7f]+", 5, 4),
    (r"[\u3040-\u30ff\u3000-\u303f]+", 1, 1),
    (r"[\u3400-\u9fff\uac00-\ud7af]+", 5, 4),
    (r"[\u0080-\u07ff]+", 5, 4),
    (r"[\u0800-\uffff]+", 2, 1),
    (r".", 3, 1),
)
_RUN = re.compile("|".join(pattern for pattern, _, _ in _RATES), re.DOTALL)
_CLASS = re.compile("|".join(f"({pattern})" for pattern, _, _ in _RATES), re.DOTALL)
KEPT = 50_000
LONGEST_KEPT = 32


class _Costs(dict[str, int]):
    """The cost of every run seen so far. Words come again and again, and a look-up is far cheaper than a match."""

    def __missing__(self, run: str) -> int:
        found = _CLASS.match(run)
        _, up, down = _RATES[((found and found.lastindex) or 1) - 1]
        cost = -(-len(run) * up // down)
        if len(run) <= LONGEST_KEPT:
            if len(self) >= KEPT:
                self.clear()
            self[run] = cost
        return cost


_COSTS = _Costs()


def count(text: str) -> int:
    """Estimated tokens of `text`; 0 for an empty one."""
    return sum(map(_COSTS.__getitem__, _RUN.findall(text)))


def within(text: str, most: int) -> bool:
    """True when a text takes at most so many tokens. No ASCII character takes more than one."""
    return (len(text) <= most and text.isascii()) or count(text) <= most
