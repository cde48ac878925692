"""Entries: taking in, reading, and what a run changes of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from remembrancer.core.entries import Entry
from remembrancer.ports.leases import Lease


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one entry: `stored`, `duplicate` (of `id`, a live entry) or `suppressed` (forgotten text)."""

    status: str
    id: str


@dataclass(frozen=True, slots=True)
class Move:
    """The end of one pending entry: filed to pages, or superseded by `entry.superseded_by`."""

    entry: Entry
    """The entry as it is to be stored among the filed ones, `filed_by` set."""


class Entries(Protocol):
    """Entries, their duplicate guard and the text tombstones of a space."""

    def add(self, space: str, entries: Sequence[Entry]) -> list[Added]:
        """Store pending entries, all or none of each; replies in order. A duplicate confirms the live entry.

        One round trip for up to 33 new entries; each duplicate costs one more.
        """

    def pending(self, space: str, *, limit: int, newest_first: bool = False, after: str = "") -> list[Entry]:
        """Pending entries by id, read consistently; `after` is an exclusive start id."""

    def get(self, space: str, ids: Sequence[str]) -> dict[str, Entry]:
        """Entries by id, pending or filed; unknown ids are absent."""

    def page(
        self, space: str, *, status: str, kind: str = "", limit: int, cursor: str = ""
    ) -> tuple[list[Entry], str]:
        """One page, newest first, and the cursor of the next (empty at the end).

        `status` is active, pending, superseded or all. Raises `Invalid` for a cursor of another listing.
        """

    def active(self, space: str, kind: str) -> Iterator[Entry]:
        """All active entries of one kind, read as they are needed. Eventually consistent."""

    def changed(self, space: str, since_ms: int) -> Iterator[Entry]:
        """Filed entries whose record has changed since then, as they are now, superseded ones too.

        Eventually consistent. What was removed altogether is not among them.
        """

    def of_session(self, space: str, session_id: str, *, limit: int) -> list[Entry]:
        """The session's newest entries, oldest first. Eventually consistent."""

    def counts(self, space: str) -> dict[str, Any]:
        """`{pending, lines, oldest_ms, active: {kind: n}, superseded}`; `lines` counts non-empty lines."""

    def settle(self, space: str, moves: Sequence[Move], lease: "Lease") -> int:
        """Move pending entries to the filed ones, in transactions that check the fence; how many moved now.

        An entry that the same run has moved already is skipped, so a retry is safe. The last transaction commits
        the frame: readers honour what was stamped up to this fence. Raises `LeaseLost`.
        """

    def stamp(self, space: str, entries: Sequence[Entry], lease: "Lease") -> int:
        """Overwrite filed entries with their new state (superseded, confirmed); like `settle` otherwise."""

    def restore(self, space: str, entry: Entry, lease: "Lease") -> int:
        """Put a superseded entry back into the buffer in this state; 0 when it is not superseded any more."""

    def forgotten(self, space: str, hashes: Iterable[str]) -> set[str]:
        """Those of the text hashes that have a tombstone."""
