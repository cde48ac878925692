"""What the actions need from the outside, in our own words.

Instants are UTC milliseconds (`_ms`). Every method may raise `Unavailable` when its backend does not answer, and
`Throttled` when the backend says so for longer than the call may wait. Other errors are named at the method.
"""

from typing import Protocol

from remembrancer.ports.entries import Added, Entries, Move
from remembrancer.ports.leases import Lease, Leases, Runs
from remembrancer.ports.pages import Catalogue, Pages, Spaces, Stored
from remembrancer.ports.search import Embedded, Embedder, Found, Index, Lane, Search, Vector
from remembrancer.ports.sessions import Selections, Sessions
from remembrancer.ports.tokens import Token, Tokens

__all__ = (
    "Added",
    "Catalogue",
    "Clock",
    "Embedded",
    "Embedder",
    "Entries",
    "Events",
    "Found",
    "Index",
    "Lane",
    "Lease",
    "Leases",
    "Move",
    "Pages",
    "Ports",
    "Runs",
    "Search",
    "Selections",
    "Sessions",
    "Spaces",
    "Stored",
    "Token",
    "Tokens",
    "Vector",
)


class Clock(Protocol):
    """Time and identity."""

    def now_ms(self) -> int: ...

    def new_id(self) -> str:
        """A ULID: 26 characters, sorts by time, strictly growing within a process."""


class Events(Protocol):
    """Work for others: state machines and the tenant's event bus."""

    def start_run(self, space: str, run: str, trigger: str) -> None:
        """Start `consolidate`, named by the run id; starting the same run twice does nothing."""

    def running(self, run: str) -> bool:
        """True while the execution of this run goes on."""

    def buffer_full(self, space: str, lines: int) -> None:
        """Say that a buffer passed its size limit."""


class Ports(Protocol):
    """All ports of a process; an action asks only for those that it uses, and each is made on first use."""

    @property
    def clock(self) -> Clock: ...
    @property
    def entries(self) -> Entries: ...
    @property
    def catalogue(self) -> Catalogue: ...
    @property
    def spaces(self) -> Spaces: ...
    @property
    def leases(self) -> Leases: ...
    @property
    def runs(self) -> Runs: ...
    @property
    def tokens(self) -> Tokens: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def selections(self) -> Selections: ...
    @property
    def pages(self) -> Pages: ...
    @property
    def embedder(self) -> Embedder: ...
    @property
    def index(self) -> Index: ...
    @property
    def events(self) -> Events: ...
