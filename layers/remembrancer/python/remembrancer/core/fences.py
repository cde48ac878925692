"""Closed code fences: what stands in one is no markup."""

import re
from collections.abc import Iterator, Sequence

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")


def fences(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Start and end of each closed code fence, in one pass; an unclosed fence is plain text."""
    marks = [match and (match[1][0], len(match[1]), not match[2].strip()) for match in map(_FENCE.match, lines)]
    longest: dict[str, list[int]] = {"`": [], "~": []}
    for char, sizes in longest.items():
        best = 0
        for mark in reversed(marks):
            best = max(best, mark[1]) if mark and mark[0] == char and mark[2] else best
            sizes.append(best)
        sizes.reverse()
    opened: tuple[int, str, int] | None = None
    for place, mark in enumerate(marks):
        if mark is None:
            continue
        char, size, bare = mark
        if opened is None:
            if place + 1 < len(lines) and longest[char][place + 1] >= size:
                opened = (place, char, size)
        elif bare and char == opened[1] and size >= opened[2]:
            yield opened[0], place + 1
            opened = None


def in_fence(lines: Sequence[str]) -> list[bool]:
    """For each line, whether it belongs to a closed code fence; an unclosed fence is plain text."""
    inside = [False] * len(lines)
    for start, end in fences(lines):
        inside[start:end] = [True] * (end - start)
    return inside
