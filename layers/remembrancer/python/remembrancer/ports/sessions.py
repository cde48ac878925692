"""What sessions hold, and what their turns have selected."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from remembrancer.core.sessions import Pick, Resident, Selection, SessionRecord


class Sessions(Protocol):
    """Session records in the expiring table."""

    def load(self, space: str, session_id: str) -> SessionRecord:
        """The record, complete however many residents it has; consistent."""

    def memo(self, space: str, session_id: str, turn_id: str) -> str | None:
        """The reply recorded for this turn, or None."""

    def record(
        self,
        space: str,
        record: SessionRecord,
        changed: Sequence[Resident],
        *,
        turn_id: str,
        reply: str,
        picks: Sequence[Pick] = (),
    ) -> None:
        """Store the head (rev + 1), the changed residents and the turn's reply, if the stored rev is `record.rev`.

        `picks`, if any, become one selection event of the space, in the same transaction.

        Raises `PreconditionFailed` when another turn was faster, or this one has a reply already. Residents of an
        older epoch are dropped.
        """

    def copy(self, space: str, source: str, target: str) -> None:
        """Start `target` with the record of `source`; does nothing when `target` has one."""


class Selections(Protocol):
    """What the turns of a space have selected, kept for 90 days. `Sessions.record` writes it."""

    def recent(self, space: str) -> Iterator[Selection]:
        """Every selection event that has not ended, oldest first, read as they are needed."""
