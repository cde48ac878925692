"""The pages of one batch of a run while they are changed: each is read once and written once."""

from collections.abc import Sequence
from dataclasses import replace

from remembrancer.core.catalogue import PageHead
from remembrancer.core.entries import Entry
from remembrancer.core.filing import file_into, unfile, writable
from remembrancer.core.hubs import children, is_hub, route, split
from remembrancer.core.pages import Page, parse, render
from remembrancer.core.place import Target, month_target
from remembrancer.core.sections import sections
from remembrancer.parts.indexing import index_now
from remembrancer.parts.pagewrite import page_name, write_page
from remembrancer.ports import Lease, Ports


class Desk:
    """What one batch works on. Nothing is stored before `write`."""

    def __init__(self, ports: Ports, space: str, run: str, lease: Lease) -> None:
        self.ports, self.space, self.run, self.lease = ports, space, run, lease
        self.pages: dict[str, Page | None] = {}
        self.heads: dict[str, PageHead | None] = {}
        self.read: dict[str, Page | None] = {}

    def page(self, slug: str) -> Page | None:
        """The page as it stands on the desk; None when there is none."""
        if slug not in self.pages:
            head = self.ports.catalogue.head(self.space, slug)
            live = head is not None and not head.deleted
            stored = self.ports.pages.read(self.space, page_name(slug)) if live else None
            self.heads[slug] = head
            self.pages[slug] = self.read[slug] = parse(slug, stored.body) if stored is not None else None
        return self.pages[slug]

    def take_off(self, slug: str, gone: Sequence[str]) -> None:
        """Remove what a page, or the pages below it, say for these entries."""
        page = self.page(slug) if gone else None
        if page is None or not writable(page):
            return
        self.pages[slug] = unfile(page, gone)
        for child in children(page) if is_hub(page) else ():
            self.take_off(child, gone)

    def file(self, target: Target, entry: Entry) -> None:
        """Put one entry on its page, or where that page passes it on to."""
        page = self.page(target.slug)
        if page is not None and not writable(page):
            target = month_target(entry)
            page = self.page(target.slug)
        if page is not None:
            target = route(page, target)
            page = self.page(target.slug)
        self.pages[target.slug] = file_into(page, target, [entry])

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

    def cited(self) -> dict[str, list[str]]:
        """Entry id to the pages on the desk that cite it."""
        found: dict[str, list[str]] = {}
        for slug, page in sorted(self.pages.items()):
            for part in sections(page.body) if page is not None else ():
                for passage in part.passages:
                    for entry_id in passage.entries:
                        slugs = found.setdefault(entry_id, [])
                        if slug not in slugs:
                            slugs.append(slug)
        return found
