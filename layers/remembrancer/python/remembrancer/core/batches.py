"""Grouping the filing of a run: what changes one page is in one batch, so that batches can run side by side."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from remembrancer.core.entries import Entry
from remembrancer.core.place import SECTIONS, Target, words

MAX_ENTRIES = 30


def together(
    targets: Mapping[str, Target], twins: Iterable[tuple[str, str]], entries: Mapping[str, Entry]
) -> dict[str, Target]:
    """Put equal texts of two kinds on one page: a new one goes where the other stands."""
    found = dict(targets)
    for older, newer in twins:
        for mine, other in ((newer, older), (older, newer)):
            stands = entries[other].filed_to[:1] if other in entries and other not in found else ()
            there = Target(stands[0], words(stands[0]), "") if stands else found.get(other)
            if mine in found and there:
                found[mine] = replace(there, section=SECTIONS[entries[mine].kind])
                break
    return found


def _families(slugs: Iterable[str]) -> dict[str, str]:
    """Slug to the topmost slug above it that is also there: a page and its child pages belong together."""
    top: dict[str, str] = {}
    for slug in sorted(slugs, key=lambda s: s.split("/")):
        segments = slug.split("/")
        above = ("/".join(segments[:n]) for n in range(1, len(segments)))
        top[slug] = next((top[parent] for parent in above if parent in top), slug)
    return top


def batches(
    targets: Mapping[str, Target], leaving: Mapping[str, Sequence[str]], *, size: int = MAX_ENTRIES
) -> list[list[dict[str, Any]]]:
    """Lists of `{slug, entries, leaving}`, each page once: entries to file there, and entries to take off.

    A batch is filled up to `size` entries; a family of pages is never torn apart.
    """
    coming: dict[str, list[str]] = {slug: [] for slug in leaving}
    for id, target in sorted(targets.items()):
        coming.setdefault(target.slug, []).append(id)
    families: dict[str, list[str]] = {}
    for slug, top in _families(coming).items():
        families.setdefault(top, []).append(slug)
    found: list[list[dict[str, Any]]] = []
    room = 0
    for _, slugs in sorted(families.items()):
        work = [
            {"slug": slug, "entries": coming[slug], "leaving": sorted(leaving.get(slug, ()))}
            for slug in sorted(slugs)
        ]
        need = sum(len(page["entries"]) + len(page["leaving"]) for page in work)
        if not found or need > room:
            found.append([])
            room = size
        found[-1] += work
        room -= need
    return found
