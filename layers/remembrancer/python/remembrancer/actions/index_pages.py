"""Make catalogue and index match the bucket for one page, whatever happened to it."""

from remembrancer.parts.projecting import project
from remembrancer.ports import Ports


def index_one(ports: Ports, space: str, slug: str) -> str:
    """`indexed`, `dropped` or `nothing`. The event may come late, twice or out of order."""
    return project(ports, space, slug)
