"""Follow the entries of a space: into the index, the list of spaces, and a run when the buffer is full."""

from collections.abc import Sequence

from remembrancer.errors import RemembrancerError
from remembrancer.parts.indexing import index_entries
from remembrancer.ports import Ports

COUNTED = 1_000
CAP_LINES = 100


def follow(ports: Ports, space: str, ids: Sequence[str]) -> int:
    """Index the entries as they are now and count the buffer; how many were indexed.

    The buffer is counted even when the index fails; then the failure is raised, so that the stream tries again.
    """
    head = ports.spaces.head(space)
    found = ports.entries.get(space, ids)
    error: RemembrancerError | None = None
    done = 0
    try:
        done = index_entries(ports, space, list(found.values()))
    except RemembrancerError as failure:
        error = failure
    pending = ports.entries.pending(space, limit=COUNTED)
    lines = sum(entry.lines for entry in pending)
    before = ports.spaces.note(space, pending=len(pending), lines=lines, now_ms=ports.clock.now_ms())
    cap = head.settings.get("buffer_cap_lines", CAP_LINES)
    if cap is not None and before < cap <= lines:
        ports.events.buffer_full(space, lines)
    if error is not None:
        raise error
    return done
