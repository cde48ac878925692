"""The search index and the embedder."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from remembrancer.core.units import Hit, Unit

Vector: TypeAlias = "array[float]"
"""float32 values of one unit vector (`array("f")`)."""


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
