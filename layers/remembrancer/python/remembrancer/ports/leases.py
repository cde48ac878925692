"""Who may change a space in bulk, and the records of runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to change a space's pages in bulk. `fence` grows with every holder."""

    space: str
    owner: str
    fence: int
    expires_s: int
    purpose: str = ""


class Leases(Protocol):
    """Leases with fences. An expired lease may be taken over 5 s after its end."""

    def take(self, space: str, owner: str, purpose: str, *, seconds: int, over: str = "") -> Lease:
        """Take it. The same owner gets its own lease again, renewed. Raises `Conflict` (purpose and since).

        `over` names a holder that is known to be dead: its lease may be taken before its time is over.
        """

    def renew(self, lease: Lease, *, seconds: int) -> Lease:
        """Extend it. Raises `LeaseLost`."""

    def release(self, lease: Lease) -> None:
        """Give it back; nothing happens when it is not ours any more."""

    def current(self, space: str) -> Lease | None:
        """The holder now, if its time is not over."""

    def fence(self, space: str) -> int:
        """The newest fence that was given, whoever holds the lease now; 0 when none was."""


class Runs(Protocol):
    """Records of consolidation runs."""

    def put(self, space: str, run: str, record: Mapping[str, Any], *, lease: Lease | None = None) -> None:
        """Create or replace the record of a run, under the fence if given. Raises `LeaseLost`."""

    def get(self, space: str, run: str) -> dict[str, Any] | None: ...

    def page(self, space: str, *, limit: int, cursor: str = "") -> tuple[list[dict[str, Any]], str]:
        """Newest first."""
