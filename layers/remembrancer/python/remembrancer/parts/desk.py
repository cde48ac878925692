"""The pages of one batch of a run while they are changed: each is read once and written once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from remembrancer.core.catalogue import PageHead
from remembrancer.core.entries import Entry
from remembrancer.core.filing import SOURCE, file_into, unfile, writable
from remembrancer.core.hubs import children, is_hub, route, split
from remembrancer.core.pages import Page, parse, render
from remembrancer.core.place import Target, month_target
from remembrancer.core.sections import sections
from remembrancer.errors import LeaseLost
from remembrancer.parts.indexing import index_now
from remembrancer.parts.pagewrite import reconcile, write_page
from remembrancer.parts.rollback import Change
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
            self.heads[slug], stored = reconcile(self.ports, self.space, slug)
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

    def changes(self) -> dict[str, Change]:
        """What `write` will write; pages that have grown too long are split first."""
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
        """How many passages are on none of the pages any more; the lead of a page that rules made is theirs."""
        before, after = (
            Counter(text for page in pages.values() if page is not None for text in _facts(page))
            for pages in (self.read, self.pages)
        )
        return (before - after).total()

    def emptied(self) -> list[str]:
        """Pages that a person wrote and that would say nothing any more."""
        return [
            slug
            for slug, page in self.read.items()
            if page is not None and page.fields.get("source") != SOURCE and page.body.strip()
            if (left := self.pages[slug]) is not None and not any(part.passages for part in sections(left.body))
        ]

    def write(self) -> int:
        """Write what changed; how many pages have new bytes. Stops when the lease has gone."""
        return sum(self._write(slug, *change) for slug, change in self.changes().items())

    def _raw(self, slug: str) -> bytes:
        page = self.pages[slug]
        assert page is not None
        return render(replace(page, slug=slug)).encode()

    def _write(self, slug: str, head: PageHead | None, raw: bytes) -> int:
        if self.ports.leases.fence(self.space) != self.lease.fence:
            raise LeaseLost("the lease has gone to another holder")
        page = self.pages[slug]
        assert page is not None
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


def _slug(page: Page | None) -> str:
    return page.slug if page is not None else ""


def _facts(page: Page) -> list[str]:
    ours = page.fields.get("source") == SOURCE
    return [p.text for part in sections(page.body) if part.ordinal or not ours for p in part.passages]
