"""What the actions need from the outside, in our own words.

Instants are UTC milliseconds (`_ms`). Every method may raise `Unavailable` when its backend does not answer, and
`Throttled` when the backend says so for longer than the call may wait. Other errors are named at the method.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from remembrancer.core.catalogue import PageHead, SpaceHead
from remembrancer.core.entries import Entry
from remembrancer.core.sessions import Pick, Resident, Selection, SessionRecord
from remembrancer.core.units import Hit, Unit

Vector: TypeAlias = "array[float]"
"""float32 values of one unit vector (`array("f")`)."""


class Clock(Protocol):
    """Time and identity."""

    def now_ms(self) -> int: ...

    def new_id(self) -> str:
        """A ULID: 26 characters, sorts by time, strictly growing within a process."""


# ---------------------------------------------------------------- entries


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


# ---------------------------------------------------------------- pages and the catalogue


@dataclass(frozen=True, slots=True)
class Stored:
    """One object of the bucket. `rev` is 0 for an object that somebody else wrote (a hand edit)."""

    key: str
    body: bytes
    etag: str
    version: str
    modified_ms: int
    rev: int = 0
    run: str = ""
    sha256: str = ""
    fence: int = 0


class Pages(Protocol):
    """The bucket, below `spaces/<space>/`. `name` is the rest of the key, for example `concepts/a/b.md`."""

    def read(self, space: str, name: str, *, version: str = "") -> Stored | None:
        """The object, or None. With `version` that one, kept in memory by (name, version)."""

    def write(
        self,
        space: str,
        name: str,
        body: bytes,
        *,
        etag: str | None,
        rev: int = 0,
        run: str = "",
        fence: int = 0,
    ) -> Stored:
        """Compare and swap: `etag` None creates, a value replaces exactly that object, `*` replaces anything.

        Raises `PreconditionFailed` when the object is not the named one.
        """

    def delete(self, space: str, name: str, *, etag: str = "") -> None:
        """Remove the object (a delete marker; old versions stay), with `etag` only that one.

        Raises `PreconditionFailed` when the object is not the named one.
        """

    def names(self, space: str, prefix: str, *, limit: int = 1000, after: str = "") -> list[str]:
        """Names below `prefix` in order."""


class Catalogue(Protocol):
    """Page heads and backlinks."""

    def head(self, space: str, slug: str) -> PageHead | None:
        """Read consistently; a deleted page has a head with `deleted`."""

    def heads(self, space: str, slugs: Sequence[str]) -> dict[str, PageHead]:
        """Many at once, consistently; unknown slugs are absent. One round trip for up to 100."""

    def current(
        self, space: str, slugs: Sequence[str], ids: Sequence[str], *, sections: bool
    ) -> tuple[dict[str, PageHead], dict[str, Entry]]:
        """Heads by slug and entries by id as `heads` and `Entries.get` give them, in one round trip.

        Without `sections` the heads come without them: they are most of a head.
        """

    def rate(self, space: str, head: PageHead) -> None:
        """Store importance, in-degree and neighbours of the head, unless the page was written since its rev."""

    def put(self, space: str, head: PageHead, *, over: PageHead | None, lease: "Lease | None" = None) -> None:
        """Replace the head `over` (None: there is none) and its backlinks, under the fence if given.

        Raises `PreconditionFailed` when the rev differs and `LeaseLost` when the fence is old.
        """

    def mark_indexed(self, space: str, slug: str, rev: int) -> None:
        """The index holds this rev now. Does nothing when the head has moved on."""

    def page(self, space: str, *, limit: int, cursor: str = "") -> tuple[list[PageHead], str]:
        """Live heads by slug and the cursor of the next page."""

    def backlinks(self, space: str, slug: str) -> list[tuple[str, str]]:
        """(from slug, kind) of the pages that link to it."""


class Spaces(Protocol):
    """Space heads and the list of spaces."""

    def head(self, space: str) -> SpaceHead:
        """The stored head, or the defaults of a new space. Consistent."""

    def update(self, space: str, changes: Mapping[str, Any], *, lease: "Lease | None" = None) -> None:
        """Set fields of the head by name, creating it when absent, under the fence if given; bumps its rev.

        Raises `LeaseLost` when the fence is old.
        """

    def set_entry(self, space: str, group: str, key: str, value: Any, *, lease: "Lease | None" = None) -> None:
        """Set one key inside a map field of the head (`views`, `settings`), safely beside other writers.

        Raises `LeaseLost` when a fence is given and old.
        """

    def note(self, space: str, *, pending: int, lines: int, now_ms: int) -> int:
        """Keep the space's line in the list of spaces up to date; the number of lines that stood there before."""

    def all(self, *, limit: int, cursor: str = "") -> tuple[list[dict[str, Any]], str]:
        """Lines `{space, pending, lines, last_write_ms, created_ms}` and the cursor of the next page."""


# ---------------------------------------------------------------- sessions, leases, runs, tokens


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

    def put(self, space: str, run: str, record: Mapping[str, Any], *, lease: "Lease | None" = None) -> None:
        """Create or replace the record of a run, under the fence if given. Raises `LeaseLost`."""

    def get(self, space: str, run: str) -> dict[str, Any] | None: ...

    def page(self, space: str, *, limit: int, cursor: str = "") -> tuple[list[dict[str, Any]], str]:
        """Newest first."""


@dataclass(frozen=True, slots=True)
class Token:
    """An API token; only the hash of its secret is kept."""

    id: str
    sha256: str
    spaces: tuple[str, ...]
    scopes: tuple[str, ...]
    trust: str = "guardian"
    label: str = ""
    created_ms: int = 0
    revoked_ms: int = 0


class Tokens(Protocol):
    """API tokens of the tenant."""

    def get(self, token_id: str) -> Token | None: ...

    def put(self, token: Token) -> None: ...

    def all(self) -> list[Token]: ...


# ---------------------------------------------------------------- search


@dataclass(frozen=True, slots=True)
class Lane:
    """One search of a request: words (`text`), a vector, or both as two lanes of the same name prefix.

    `field` is `body` (text and ctx, equal weight), `lines` (the same of units that are filed) or `title`. A lane
    may narrow the search to `parents`, to `first` passages, and to `types` of its own. With only `parents` it
    lists their units in order, each with the score 0. An empty lane finds nothing, never everything.
    """

    name: str
    text: str = ""
    vector: "Vector | None" = None
    field: str = "body"
    size: int = 100
    types: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    first: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """One request to the index: all lanes share the filter. `vector` is what cosines are computed against.

    Units that are not active are found only when `superseded` says so.
    """

    space: str
    lanes: tuple[Lane, ...]
    vector: "Vector | None" = None
    types: tuple[str, ...] = ("passage", "entry")
    kinds: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    after_ms: int | None = None
    before_ms: int | None = None
    superseded: bool = False
    timeout_s: float = 3.0


@dataclass(frozen=True, slots=True)
class Found:
    """Hits of all lanes, each unit once; `degraded` names the lanes that failed."""

    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Embedded:
    """A unit with its vectors: of `unit.embed`, and of `unit.ctx`."""

    unit: Unit
    vector: Vector
    ctx_vector: Vector


class Index(Protocol):
    """The search index of the tenant: a projection that can be thrown away."""

    identity: str
    """Model id, revision, dimension and text template; documents of another identity are not mixed."""

    def ensure(self) -> None:
        """Create the index when it is absent. Raises `Invalid` when it belongs to another identity."""

    def put(
        self,
        space: str,
        units: Sequence[Embedded],
        *,
        gone: Sequence[tuple[str, int, int]] = (),
        repair: bool = False,
    ) -> dict[str, str]:
        """Write units and remove `gone` (parent, ordinal, rev) in bulk; document errors by id, empty if none.

        An older or equal rev than the stored one is dropped silently; with `repair` an equal one is written.
        A removed unit stays removed against any write of the same or an older rev.
        """

    def search(self, search: Search) -> Found:
        """One request. A failing lane is named in `degraded`; raises `Unavailable` when nothing answers."""

    def count(self, space: str) -> int:
        """Documents of a space that a search can see."""

    def ids(self, space: str) -> list[tuple[str, int, int]]:
        """(parent, ordinal, rev) of all documents of a space, for the drift check."""

    def revs(self, space: str, units: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """The stored rev of units (parent, ordinal); what is not there is absent. Sees every write at once."""

    def drop_space(self, space: str) -> int:
        """Remove all documents of a space; how many."""

    def refresh(self) -> None:
        """Make everything written visible to the next search. For tests and rebuilds."""


class Embedder(Protocol):
    """Text to unit vectors."""

    identity: str
    dimension: int

    def embed(self, texts: Sequence[str], kind: str) -> list[Vector]:
        """One unit vector a text; `kind` is `query` or `document`. A long text is cut at the model's maximum."""


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
