"""Pages in the bucket, and what the catalogue says of them and of their space."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from remembrancer.core.catalogue import PageHead, SpaceHead
from remembrancer.core.entries import Entry
from remembrancer.ports.leases import Lease


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

    def put(self, space: str, head: PageHead, *, over: PageHead | None, lease: Lease | None = None) -> None:
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

    def update(self, space: str, changes: Mapping[str, Any], *, lease: Lease | None = None) -> None:
        """Set fields of the head by name, creating it when absent, under the fence if given; bumps its rev.

        Raises `LeaseLost` when the fence is old.
        """

    def set_entry(self, space: str, group: str, key: str, value: Any, *, lease: Lease | None = None) -> None:
        """Set one key inside a map field of the head (`views`, `settings`), safely beside other writers.

        Raises `LeaseLost` when a fence is given and old.
        """

    def note(self, space: str, *, pending: int, lines: int, now_ms: int) -> int:
        """Keep the space's line in the list of spaces up to date; the number of lines that stood there before."""

    def all(self, *, limit: int, cursor: str = "") -> tuple[list[dict[str, Any]], str]:
        """Lines `{space, pending, lines, last_write_ms, created_ms}` and the cursor of the next page."""
