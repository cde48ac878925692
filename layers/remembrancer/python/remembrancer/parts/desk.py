"""The pages of one batch of a run while they are changed: each is read once and written once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from remembrancer.core.catalogue import PageHead
from remembrancer.core.entries import Entry
from remembrancer.core.filing import SOURCE, file_into, unfile, writable
from remembrancer.core.hubs import children, is_hub, route, split
from remembrancer.core.pages import Page, parse, render
from remembrancer.core.place import SECTIONS, Target, month_target
from remembrancer.core.sections import sections
from remembrancer.errors import LeaseLost
from remembrancer.parts.indexing import forgotten_in, index_now
from remembrancer.parts.pagewrite import reconcile, write_page
from remembrancer.parts.rollback import Change
from remembrancer.ports import Lease, Ports


class Desk:
    """What one batch works on. Nothing is stored before `write`."""

    def __init__(
        self, ports: Ports, space: str, run: str, lease: Lease, *, conflicts: Iterable[tuple[str, str]] = ()
    ) -> None:
        self.ports, self.space, self.run, self.lease = ports, space, run, lease
        self.pages: dict[str, Page | None] = {}
        self.heads: dict[str, PageHead | None] = {}
        self.read: dict[str, Page | None] = {}
        self.found: dict[str, Entry] = {}
        self.known: dict[str, Entry] = {}
        self.rivals: dict[str, tuple[str, ...]] = {}
        for one, other in conflicts:
            self.rivals[one] = (*self.rivals.get(one, ()), other)
            self.rivals[other] = (*self.rivals.get(other, ()), one)

    def page(self, slug: str) -> Page | None:
        """The page as it stands on the desk; None when there is none."""
        if slug not in self.pages:
            self.heads[slug], stored = reconcile(self.ports, self.space, slug)
            self.pages[slug] = self.read[slug] = parse(slug, stored.body) if stored is not None else None
            self.know(self.ports.entries.get(self.space, cited_on(self.pages[slug])).values())
        return self.pages[slug]

    def know(self, entries: Collection[Entry]) -> list[Entry]:
        """Keep these entries at hand, with the conflicts that this run has found."""
        self.found.update({entry.id: entry for entry in entries})
        told = [replace(e, conflicts=(*e.conflicts, *self.rivals.get(e.id, ()))) for e in entries if e.active]
        self.known.update({entry.id: entry for entry in told})
        return told

    def take_off(self, slug: str, gone: Sequence[str]) -> None:
        """Remove what a page, or the pages below it, say for these entries."""
        page = self.page(slug) if gone else None
        if page is None or not writable(page):
            return
        kept = {id: entry for id, entry in self.known.items() if id not in gone}
        self.pages[slug] = unfile(page, gone, known=kept)
        for child in children(page) if is_hub(page) else ():
            self.take_off(child, gone)

    def file(self, target: Target, entries: Sequence[Entry]) -> None:
        """Put entries on their page, or where that page passes them on to."""
        routed: dict[Target, list[Entry]] = {}
        for entry in self.know(entries):
            routed.setdefault(self._route(target, entry), []).append(entry)
        for there, those in routed.items():
            self.pages[there.slug] = file_into(self.page(there.slug), there, those, known=self.known)

    def _route(self, target: Target, entry: Entry) -> Target:
        """Where one entry really goes: on a page that can be written, below a hub to the page of its kind."""
        month, number = month_target(entry), 0
        there = self._passed_on(replace(target, section=SECTIONS[entry.kind]))
        while (page := self.page(there.slug)) is not None and not writable(page):
            number += 1
            there = self._passed_on(replace(month, slug=f"{month.slug}-{number}" if number > 1 else month.slug))
        return there

    def _passed_on(self, target: Target) -> Target:
        while (page := self.page(target.slug)) is not None and is_hub(page):
            target = route(page, target)
        return target

    def changes(self) -> dict[str, Change]:
        """What there is to write; pages that have grown too long are split first."""
        for slug, page in list(self.pages.items()):
            if page is not None and page is not self.read[slug]:
                hub = self.page(slug.rpartition("/")[0]) if "/part-" in slug else None
                pieces = split(page, hub=hub)
                # a page that is there already is somebody's: then this one stays long
                if all(self.page(piece.slug) is None for piece in pieces if piece.slug not in (slug, _slug(hub))):
                    self.pages.update({piece.slug: piece for piece in pieces})
        # new pages first, so that no link leads nowhere while they are written
        changed = [s for s, page in self.pages.items() if page is not None and page is not self.read[s]]
        changed.sort(key=lambda slug: self.read[slug] is not None)
        return {slug: (self.heads[slug], self._raw(slug)) for slug in changed}

    def removed(self) -> int:
        """How many facts are on none of the pages any more."""
        before, after = (
            {fact for page in pages.values() if page is not None for fact in _facts(page)}
            for pages in (self.read, self.pages)
        )
        return len(before - after)

    def emptied(self) -> list[str]:
        """Pages that a person wrote and that would say nothing any more."""
        return [
            slug
            for slug, page in self.read.items()
            if page is not None and page.fields.get("source") != SOURCE and page.body.strip()
            if (left := self.pages[slug]) is not None and not any(part.passages for part in sections(left.body))
        ]

    def write(self, changes: Mapping[str, Change]) -> int:
        """Write these changes; how many pages have new bytes. Stops when the lease has gone."""
        pages = [page for slug in changes if (page := self.pages[slug]) is not None]
        forgotten = forgotten_in(self.ports, self.space, pages)
        return sum(self._write(slug, *change, forgotten) for slug, change in changes.items())

    def _raw(self, slug: str) -> bytes:
        page = self.pages[slug]
        assert page is not None
        return render(replace(page, slug=slug)).encode()

    def _write(self, slug: str, head: PageHead | None, raw: bytes, forgotten: set[str]) -> int:
        if self.ports.leases.fence(self.space) != self.lease.fence:
            raise LeaseLost("the lease has gone to another holder")
        page = self.pages[slug]
        assert page is not None
        new = write_page(self.ports, self.space, slug, raw, head=head, run=self.run, lease=self.lease)
        if head is not None and new.rev == head.rev:
            return 0
        before = head.units if head is not None else 0
        index_now(self.ports, self.space, page, new, before=before, forgotten=forgotten, known=self.found)
        return 1

    def moved(self) -> dict[str, list[str]]:
        """Filed entries that stand on other pages now than they say, with these pages."""
        cited, found = self.cited(), {}
        for entry in self.found.values():
            elsewhere = [slug for slug in entry.filed_to if slug not in self.pages]
            now = [*cited.get(entry.id, ()), *elsewhere]
            if entry.active and not entry.pending and entry.id in cited and set(now) != set(entry.filed_to):
                found[entry.id] = now
        return found

    def cited(self) -> dict[str, list[str]]:
        """Entry id to the pages on the desk that cite it."""
        found: dict[str, list[str]] = {}
        for slug, page in sorted(self.pages.items()):
            for entry_id in cited_on(page):
                found.setdefault(entry_id, []).append(slug)
        return found


def cited_on(page: Page | None) -> list[str]:
    """The ids that a page cites, each once."""
    parts = sections(page.body) if page is not None else ()
    return list(dict.fromkeys(i for part in parts for passage in part.passages for i in passage.entries))


def _slug(page: Page | None) -> str:
    return page.slug if page is not None else ""


def _facts(page: Page) -> set[str]:
    """What a page holds: the entries that it cites, and the text of what cites none.

    The lead of a page that rules made is theirs.
    """
    ours = page.fields.get("source") == SOURCE
    own = [p for part in sections(page.body) if part.ordinal or not ours for p in part.passages]
    return {fact for passage in own for fact in passage.entries or (passage.text,)}
