"""What the table says now about the pages and entries behind hits."""

from collections.abc import Iterable, Sequence

from remembrancer.core.catalogue import PageHead
from remembrancer.core.entries import Entry
from remembrancer.core.units import Hit
from remembrancer.ports import Ports

KEYS = 100
SPARE = 20
"""Reading a hit costs more than it is likely to be gone; another call costs more than a few hits."""


class Truth:
    """Heads and entries, each read once, as many in one call as fit; entries as of a committed frame.

    Only with `sections` the heads have theirs.
    """

    def __init__(
        self, ports: Ports, space: str, frame: int, *, superseded: bool = False, sections: bool = False
    ) -> None:
        self.ports, self.space, self.superseded, self.sections = ports, space, superseded, sections
        self.frame = frame
        self.heads: dict[str, PageHead] = {}
        self.entries: dict[str, Entry] = {}
        self._slugs: set[str] = set()
        self._ids: set[str] = set()

    def known(self, hit: Hit) -> bool:
        """True when what is behind the hit has been read."""
        return hit.unit.parent in (self._ids if hit.unit.type == "entry" else self._slugs)

    def some(self, hits: Iterable[Hit], most: int) -> list[Hit]:
        """The next hits to read: `most`, and a few for those that are gone, where one call has room for them."""
        taken: list[Hit] = []
        # an entry may lie in two places
        keys: dict[tuple[str, str], int] = {}
        for hit in hits:
            if self.known(hit):
                continue
            keys[hit.unit.type, hit.unit.parent] = 2 if hit.unit.type == "entry" else 1
            if len(taken) >= most and (len(taken) >= most + SPARE or sum(keys.values()) > KEYS):
                break
            taken.append(hit)
        return taken

    def read(self, hits: Sequence[Hit], ids: Iterable[str] = ()) -> None:
        """Read what is behind the hits, and these entries, in one call."""
        new = [hit.unit for hit in hits if not self.known(hit)]
        slugs = list(dict.fromkeys(unit.parent for unit in new if unit.type != "entry"))
        wanted = [*(unit.parent for unit in new if unit.type == "entry"), *(i for i in ids if i not in self._ids)]
        found = list(dict.fromkeys(wanted))
        if slugs or found:
            heads, entries = self.ports.catalogue.current(self.space, slugs, found, sections=self.sections)
            self.heads |= heads
            if any(entry.fence > self.frame for entry in entries.values()):
                # only beside a run: the head at hand may be older than the run's end
                self.frame = self.ports.spaces.head(self.space).frame
            self.entries |= {id: entry.seen(self.frame) for id, entry in entries.items()}
            self._slugs.update(slugs)
            self._ids.update(found)

    def alive(self, hit: Hit) -> bool:
        """True when the unit is still what the truth says: its page at this rev, or its entry with this text."""
        if hit.unit.type == "entry":
            entry = self.entries.get(hit.unit.parent)
            return entry is not None and hit.unit.rev // 4 == entry.rev and (self.superseded or entry.active)
        head = self.heads.get(hit.unit.parent)
        return head is not None and not head.deleted and head.rev == hit.unit.rev

    def gone(self, hit: Hit) -> bool:
        """True when it has been read and is not alive."""
        return self.known(hit) and not self.alive(hit)
