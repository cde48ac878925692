"""Make catalogue and index match the bucket for one page, whatever happened to it."""

from remembrancer.parts.reconcile import reconcile
from remembrancer.ports import Ports


def index_one(ports: Ports, space: str, slug: str) -> str:
    """`indexed`, `dropped` or `nothing`. The event may come late, twice or out of order."""
    return reconcile(ports, space, slug)
