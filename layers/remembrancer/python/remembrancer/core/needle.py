"""Lexical search over the sections of pages held in memory (tier v2): BM25F, headings before bodies."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from remembrancer.core.sections import sections

HEAD_WEIGHT = 2.5
K1 = 1.5
B = 0.75

_WORD = re.compile(r"[^\W_]+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Needle:
    """One section that was found: the best of its page. `ordinal` counts from 0, the lead."""

    slug: str
    title: str
    ordinal: int
    score: float


@dataclass(frozen=True, slots=True)
class _Section:
    slug: str
    title: str
    ordinal: int
    weights: Mapping[str, float]
    length: float


def terms(text: str, *, ascii_only: bool = False) -> list[str]:
    """Words in lower case, then adjacent pairs `a_b`. `ascii_only` loses other letters: the older way."""
    words = (_ASCII_WORD if ascii_only else _WORD).findall(text.lower())
    return [*words, *(f"{a}_{b}" for a, b in pairwise(words))]


class SectionIndex:
    """The sections of some pages (slug to body)."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._sections = [part for slug in sorted(pages) for part in _split(slug, pages[slug])]
        self._found_in = Counter(term for part in self._sections for term in part.weights)
        total = sum(part.length for part in self._sections)
        self._average = total / len(self._sections) if total else 1.0

    def idf(self, term: str) -> float:
        """Inverse document frequency; highest for a term that no section has."""
        found = self._found_in[term]
        return math.log(1 + (len(self._sections) - found + 0.5) / (found + 0.5))

    def search(self, query: str, k: int) -> list[Needle]:
        """The best section of each page that has a term of the query; ties by slug, then by order."""
        wanted = dict.fromkeys(terms(query))
        hits = []
        for part in self._sections:
            score = sum(self._score(part, term) for term in wanted if term in part.weights)
            if score > 0:
                hits.append(Needle(part.slug, part.title, part.ordinal, score))
        hits.sort(key=lambda hit: (-hit.score, hit.slug, hit.ordinal))
        best: dict[str, Needle] = {}
        for hit in hits:
            best.setdefault(hit.slug, hit)
        return list(best.values())[: max(0, k)]

    def _score(self, part: _Section, term: str) -> float:
        weight = part.weights[term]
        norm = K1 * (1 - B + B * part.length / self._average)
        return self.idf(term) * weight * (K1 + 1) / (weight + norm)


def _split(slug: str, body: str) -> list[_Section]:
    label = re.split(r"[/.]", slug)[-1]
    found = []
    for section in sections(body):
        weights: dict[str, float] = {}
        for text, weight in ((f"{label} {section.heading}", HEAD_WEIGHT), (section.text, 1.0)):
            for term in terms(text):
                weights[term] = weights.get(term, 0.0) + weight
        found.append(_Section(slug, section.heading, section.ordinal, weights, sum(weights.values())))
    return found
