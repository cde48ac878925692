"""The `<memory_pointer>` block: what is asked for again and stands further up already."""

from collections.abc import Mapping, Sequence

from remembrancer.core.blocks import entry_path, frame, page_path
from remembrancer.core.escaping import escape_tags
from remembrancer.core.memory import Injected
from remembrancer.core.sessions import Resident

LEAD = "Already in this conversation:"
MOST = 3
"""Paths in one block. It comes with nearly every turn and is never taken back, so it must cost little."""


def pointer_block(units: Sequence[Injected], residents: Mapping[str, Resident]) -> str:
    """One path a line for the resident units that the record still holds, best first; empty when there is none.

    A section or an entry has one line, however many of its units are asked for; at most `MOST` have one.
    """
    held = [u for u in units if u.resident and u.id in residents and not residents[u.id].pruned]
    best = sorted(held, key=lambda u: -u.score)
    paths = dict.fromkeys(entry_path(u.entry) if u.entry else page_path(u.slug, u.section) for u in best)
    return frame("memory_pointer", [escape_tags("\n".join([LEAD, *list(paths)[:MOST]]))]) if paths else ""
