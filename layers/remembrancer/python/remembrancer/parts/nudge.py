"""A fact that a person saved is filed at once, without waiting for the next check."""

from contextlib import suppress

from remembrancer.core.catalogue import SpaceHead, tier
from remembrancer.core.schedule import backoff_left
from remembrancer.parts.run import active_run
from remembrancer.ports import Ports

PERSON = "user"
"""The source of what a person saved."""


def nudge(ports: Ports, space: str, head: SpaceHead) -> None:
    """Start a run if none is active and no backoff holds it up. Whatever fails here, the fact is saved."""
    if tier(head) in ("off", "v1") or backoff_left(head, ports.clock.now_ms()):
        return
    with suppress(Exception):
        if active_run(ports, space) is None:
            ports.events.start_run(space, ports.clock.new_id(), "nudge")
