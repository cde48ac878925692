"""The `<memory_pointer>` block: what is asked for again and stands further up already."""

from collections.abc import Mapping, Sequence

from remembrancer.core.blocks import entry_path, frame, page_path
from remembrancer.core.escaping import escape_tags
from remembrancer.core.memory import Injected
from remembrancer.core.sessions import Resident

LEAD = "These parts of memory are in this conversation already, further up:"


def pointer_block(units: Sequence[Injected], residents: Mapping[str, Resident]) -> str:
    """One path a line for the resident units that the record still holds; empty when there is none."""
    held = [u for u in units if u.resident and u.id in residents and not residents[u.id].pruned]
    paths = dict.fromkeys(entry_path(u.entry) if u.entry else page_path(u.slug, u.section) for u in held)
    return frame("memory_pointer", [escape_tags("\n".join([LEAD, *paths]))]) if paths else ""
