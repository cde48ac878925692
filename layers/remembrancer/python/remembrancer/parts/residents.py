"""What a session holds, against what the space holds now."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TypeVar

from remembrancer.core.residency import gone
from remembrancer.core.sessions import SessionRecord
from remembrancer.ports import Ports

PAGES = 100
ENTRIES = 50

T = TypeVar("T")


def vanished(ports: Ports, space: str, record: SessionRecord, frame: int) -> tuple[str, ...]:
    """Ids of resident units whose page or entry was deleted, or whose entry was superseded.

    A passage whose page changed after it was sent also goes when an entry that it cites is no more, or superseded.
    """
    held = [resident for resident in record.residents.values() if not resident.pruned]
    raw = {resident.parent for resident in held if "§" not in resident.unit}
    slugs = {resident.parent for resident in held} - raw
    heads = _many(lambda part: ports.catalogue.heads(space, part), sorted(slugs), PAGES)
    pages = {slug: head for slug, head in heads.items() if not head.deleted}
    changed = [r for r in held if r.parent in pages and pages[r.parent].modified_ms > r.injected_ms]
    cited = {entry for resident in changed for entry in resident.entries}
    entries = _many(lambda part: ports.entries.get(space, part), sorted(raw | cited), ENTRIES)

    def valid(entry: str) -> bool:
        return entry in entries and entries[entry].seen(frame).active

    def alive(parent: str) -> bool:
        return parent in pages or valid(parent)

    return gone(record, alive, lambda entry: entry in cited and not valid(entry))


def _many(read: Callable[[Sequence[str]], Mapping[str, T]], ids: Sequence[str], size: int) -> dict[str, T]:
    """Read side by side what does not fit into one round trip."""
    parts = [ids[start : start + size] for start in range(0, len(ids), size)]
    if len(parts) <= 1:
        return dict(read(ids)) if ids else {}
    with ThreadPoolExecutor(min(8, len(parts))) as pool:
        return dict(chain.from_iterable(found.items() for found in pool.map(read, parts)))
