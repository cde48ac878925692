"""Fourth task of a run: the entries that have evidence leave the buffer; then the frame commits."""

from typing import Any

from remembrancer.parts.run import held, progress
from remembrancer.parts.settling import finish
from remembrancer.ports import Ports


def settle(ports: Ports, space: str, run: str) -> dict[str, Any]:
    """Counts `{filed, merged, superseded}`. Safe to repeat: what has moved already is not moved again."""
    lease = held(ports, space, run)
    counts = finish(ports, space, run, lease)
    progress(ports, lease, {"phase": "settle"})
    return counts
