"""Fifth task of a run: rewrite the views that are always injected."""

from typing import Any

from remembrancer.core.pages import parse
from remembrancer.core.shortlist import shortlist
from remembrancer.core.views import build, without_stamp
from remembrancer.parts.digest import load
from remembrancer.parts.info import view_name
from remembrancer.parts.run import held, progress
from remembrancer.ports import Ports

COUNTED = 1_000


def write_views(ports: Ports, space: str, run: str) -> dict[str, Any]:
    """Rebuild essentials, threads and recent from the active entries; views without news keep their bytes."""
    lease = held(ports, space, run)
    head = ports.spaces.head(space)
    now = ports.clock.now_ms()
    known = ports.entries.get(space, sorted(shortlist(load(ports, space).rows, now)))
    pending = {entry.id: entry for entry in ports.entries.pending(space, limit=COUNTED, newest_first=True)}
    active = [entry for entry in {**known, **pending}.values() if entry.active]
    filed = sorted({entry.filed_to[0] for entry in active if entry.filed_to})
    titles = {slug: head.title for slug, head in ports.catalogue.heads(space, filed).items()} if filed else {}
    written = 0
    for view, text in build(active, now_ms=now, zone=head.zone, run=run, titles=titles).items():
        name = view_name(view)
        stored = ports.pages.read(space, name)
        if not text and stored is None:
            continue
        if stored is not None and (parse(view, stored.body).fields.get("pinned") or same(stored.body, text)):
            if head.views.get(view) != stored.version:
                # written by a run that died before it could say so
                ports.spaces.set_entry(space, "views", view, stored.version, lease=lease)
            continue
        etag = stored.etag if stored is not None else None
        rev = (stored.rev if stored is not None else 0) + 1
        new = ports.pages.write(space, name, text.encode(), etag=etag, rev=rev, run=run, fence=lease.fence)
        ports.spaces.set_entry(space, "views", view, new.version, lease=lease)
        written += 1
    progress(ports, lease, {"phase": "views", "views": written})
    return {"views": written}


def same(old: bytes, new: str) -> bool:
    """Equal but for the line that says when and by which run it was made."""
    return without_stamp(old.decode("utf-8", "replace")) == without_stamp(new)
