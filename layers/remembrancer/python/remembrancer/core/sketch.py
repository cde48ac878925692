"""A short sketch of a text, enough to rule out most of the texts that it cannot be like.

Every bigram of the normalised text flips one bit. Bits in which two sketches differ come from bigrams that only
one text has, so there are never more of them than such bigrams: a pair that is near is never ruled out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from zlib import crc32

from remembrancer.core.dice import length_can_reach, tokens

MIN_BITS = 128


def bits(size: int) -> int:
    """How many bits the sketch of a text with so many bigrams has: a power of two, at least twice as many."""
    return max(MIN_BITS, 1 << (2 * size - 1).bit_length()) if size else MIN_BITS


def size_of(normalised: str) -> int:
    """Number of bigrams."""
    return max(len(normalised) - 1, 0)


def sketch(normalised: str) -> int:
    """The sketch of a normalised text."""
    mask = bits(size_of(normalised)) - 1
    found = 0
    for token in tokens(normalised):
        found ^= 1 << (crc32(token.encode()) & mask)
    return found


def folded(value: int, width: int, narrow: int) -> int:
    """The sketch of `width` bits as one of `narrow` bits."""
    while width > narrow:
        width //= 2
        value = (value >> width) ^ (value & ((1 << width) - 1))
    return value


def apart(one: int, other: int, percent: int) -> int:
    """How many bigrams two texts of these sizes may have for themselves and still reach the threshold."""
    total = one + other
    return total - 2 * -(-percent * total // 200)


def candidates(
    probes: Iterable[tuple[int, int]], known: Mapping[int, Sequence[tuple[int, str]]], percent: int
) -> Iterator[str]:
    """Ids of `known` texts, (sketch, id) by size, that may reach the threshold with one of the (sketch, size)."""
    narrowed: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for value, size in probes:
        own = bits(size)
        for other, rows in known.items():
            if not length_can_reach(size, other, percent):
                continue
            most, width = apart(size, other, percent), bits(other)
            mine = folded(value, own, min(own, width))
            if width > own:
                if (other, own) not in narrowed:
                    narrowed[other, own] = [(folded(row, width, own), id) for row, id in rows]
                rows = narrowed[other, own]
            yield from [id for row, id in rows if (row ^ mine).bit_count() <= most]
