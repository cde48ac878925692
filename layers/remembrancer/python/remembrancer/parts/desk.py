"""The pages of one batch of a run while they are changed: each is read once and written once."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from remembrancer.core.catalogue import PageHead
from remembrancer.core.entries import Entry
from remembrancer.core.filing import file_into, unfile, writable
from remembrancer.core.hubs import children, is_hub, route, split
from remembrancer.core.pages import Page, parse, render
from remembrancer.core.place import SECTIONS, Target, month_target
from remembrancer.core.sections import sections
from remembrancer.parts.indexing import index_now
from remembrancer.parts.pagewrite import page_name, write_page
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
            head = self.ports.catalogue.head(self.space, slug)
            live = head is not None and not head.deleted
            stored = self.ports.pages.read(self.space, page_name(slug)) if live else None
            self.heads[slug] = head
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

    def write(self) -> int:
        """Write what changed, split where a page has grown too long; how many pages have new bytes."""
        for slug, page in list(self.pages.items()):
            if page is not None and page is not self.read[slug]:
                hub = self.page(slug.rpartition("/")[0]) if "/part-" in slug else None
                for piece in split(page, hub=hub):
                    self.page(piece.slug)
                    self.pages[piece.slug] = piece
        return sum(self._write(slug, page) for slug, page in self.pages.items() if page is not None)

    def _write(self, slug: str, page: Page) -> int:
        if page is self.read[slug]:
            return 0
        head = self.heads[slug]
        raw = render(replace(page, slug=slug)).encode()
        new = write_page(self.ports, self.space, slug, raw, head=head, run=self.run, lease=self.lease)
        if head is not None and new.rev == head.rev:
            return 0
        index_now(self.ports, self.space, page, new, before=head.units if head is not None else 0)
        return 1

    def moved(self) -> list[Entry]:
        """Filed entries that stand on other pages now than they say, told so."""
        cited = self.cited()
        found = []
        for entry in self.found.values():
            elsewhere = [slug for slug in entry.filed_to if slug not in self.pages]
            now = (*cited.get(entry.id, ()), *elsewhere)
            if entry.active and not entry.pending and entry.id in cited and set(now) != set(entry.filed_to):
                found.append(replace(entry, filed_to=now))
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
