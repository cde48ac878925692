"""Grouping the filing of a run: what changes one page is in one batch, so that batches can run side by side."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from remembrancer.core.entries import Entry
from remembrancer.core.place import SECTIONS, Target

MAX_ENTRIES = 30


def together(
    targets: Mapping[str, Target], twins: Iterable[tuple[str, str]], entries: Mapping[str, Entry]
) -> dict[str, Target]:
    """Put equal texts of two kinds on one page: the newer goes where the older goes."""
    found = dict(targets)
    for older, newer in twins:
        if older in found and newer in found:
            found[newer] = replace(found[older], section=SECTIONS[entries[newer].kind])
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
