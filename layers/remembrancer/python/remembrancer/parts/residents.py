"""What a session holds, against what the space holds now."""

from remembrancer.core.residency import gone
from remembrancer.core.sessions import SessionRecord
from remembrancer.ports import Ports


def vanished(ports: Ports, space: str, record: SessionRecord, frame: int) -> tuple[str, ...]:
    """Ids of resident units whose page or entry was deleted, or whose entry was superseded.

    A passage whose page changed after it was sent also goes when an entry that it cites is no more, or superseded.
    """
    held = [resident for resident in record.residents.values() if not resident.pruned]
    if not held:
        return ()
    raw = {resident.parent for resident in held if "§" not in resident.unit}
    slugs = {resident.parent for resident in held} - raw
    heads, entries = ports.catalogue.current(space, sorted(slugs), sorted(raw), sections=False)
    pages = {slug: head for slug, head in heads.items() if not head.deleted}
    changed = [r for r in held if r.parent in pages and pages[r.parent].modified_ms > r.injected_ms]
    cited = {entry for resident in changed for entry in resident.entries}
    if unread := cited - raw:
        entries = entries | ports.entries.get(space, sorted(unread))

    def valid(entry: str) -> bool:
        return entry in entries and entries[entry].seen(frame).active

    def alive(parent: str) -> bool:
        return parent in pages or valid(parent)

    return gone(record, alive, lambda entry: entry in cited and not valid(entry))
