"""List entries, show one with where it came from, and take a supersession back."""

from dataclasses import replace
from typing import Any

from remembrancer.core.entries import KINDS, Entry, text_hash
from remembrancer.core.entry_view import item
from remembrancer.core.stamps import restored
from remembrancer.errors import Invalid, NotFound
from remembrancer.ports import Ports

LEASE_S = 60
STATUSES = ("active", "pending", "superseded", "all")


def list_entries(
    ports: Ports, space: str, *, status: str = "active", kind: str = "", limit: int = 50, cursor: str = ""
) -> dict[str, Any]:
    """Items newest first, the active counts per kind, and the cursor of the next page."""
    if status not in STATUSES:
        raise Invalid(f"one of {', '.join(STATUSES)}", field="status")
    if kind and kind not in KINDS:
        raise Invalid(f"one of {', '.join(KINDS)}", field="kind")
    found, following = ports.entries.page(space, status=status, kind=kind, limit=limit, cursor=cursor)
    counts = ports.entries.counts(space)
    head = ports.spaces.head(space)
    return {
        "items": [item(entry.seen(head.frame)) for entry in found],
        "cursor": following or None,
        "active": counts["active"],
        "pending": counts["pending"],
        "superseded": counts["superseded"],
        "last_frame": head.last_run.get("frame"),
    }


def get_entry(ports: Ports, space: str, entry_id: str) -> dict[str, Any]:
    """One entry. Raises `NotFound`."""
    entry = ports.entries.get(space, [entry_id]).get(entry_id)
    if entry is None:
        raise NotFound("no such entry")
    return item(entry.seen(ports.spaces.head(space).frame))


def restore_entry(ports: Ports, space: str, entry_id: str) -> dict[str, Any]:
    """Take a supersession back: the entry waits to be filed again, and rules leave it and its winners alone.

    An active entry is left as it is. Raises `NotFound`, and `Conflict` while somebody holds the lease.
    """
    lease = ports.leases.take(space, ports.clock.new_id(), "restore", seconds=LEASE_S)
    try:
        entry = ports.entries.get(space, [entry_id]).get(entry_id)
        if entry is None or ports.entries.forgotten(space, [text_hash(entry.text)]):
            raise NotFound("no such entry")
        winners: dict[str, Entry] = {}
        above = entry.superseded_by
        while above and above not in winners and (found := ports.entries.get(space, [above])):
            winners |= found
            above = found[above].superseded_by
        if not entry.active:
            ports.entries.stamp(space, [replace(winner, pinned=True) for winner in winners.values()], lease)
            ports.entries.restore(space, restored(entry), lease)
    finally:
        ports.leases.release(lease)
    return get_entry(ports, space, entry_id)
