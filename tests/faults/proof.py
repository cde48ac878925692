"""What must hold for a quiet space, whatever died before."""

from collections import Counter
from dataclasses import dataclass, field

from remembrancer.core.bullets import blocks, heading, marker, refs
from remembrancer.core.entries import normalise
from remembrancer.core.hubs import children, is_hub
from remembrancer.core.pages import Page, parse
from remembrancer.ports import Ports


@dataclass
class Findings:
    """What does not hold, each as one line."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)

    def add(self, other: "Findings") -> None:
        """Take in the findings about another space."""
        self.lost += other.lost
        self.doubled += other.doubled
        self.torn += other.torn


def examine(ports: Ports, space: str, told: set[str]) -> Findings:
    """Hold the buffer, the filed entries and the pages against each other; `told` are acknowledged ids."""
    found = Findings()
    pending = {entry.id for entry in ports.entries.pending(space, limit=10_000)}
    everything, cursor = ports.entries.page(space, status="all", limit=1_000)
    while cursor:
        more, cursor = ports.entries.page(space, status="all", limit=1_000, cursor=cursor)
        everything += more
    times = Counter(entry.id for entry in everything)
    found.lost += [f"{i} is neither pending nor filed" for i in sorted(told - times.keys())]
    found.doubled += [f"{i} is pending and filed" for i, n in times.items() if n > 1]
    found.lost += [f"{i} never leaves the buffer" for i in sorted(pending)]
    texts = Counter((entry.kind, normalise(entry.text)) for entry in everything if entry.active)
    found.doubled += [f"{n} active entries of one text" for n in texts.values() if n > 1]
    pages = _pages(ports, space, found)
    lines = Counter(cited for page in pages.values() for cited in citations(page))
    for entry in everything:
        n = lines.pop(entry.id, 0)
        if entry.active and not n:
            found.lost.append(f"{entry.id} of {entry.filed_by} is on no page, filed to {entry.filed_to}")
        if n > (1 if entry.active else 0):
            where = [slug for slug, page in pages.items() if entry.id in citations(page)]
            found.doubled.append(f"{entry.id} ({'active' if entry.active else 'superseded'}) {n} times in {where}")
    found.torn += [f"{i} is cited and unknown" for i in lines]
    _frames(ports, space, found)
    return found


def citations(page: Page) -> list[str]:
    """The ids that the bullets of a page cite; its lead repeats some of them."""
    return [i for part in blocks(page.body) if heading(part) for line in part if marker(line) for i in refs(line)]


def _pages(ports: Ports, space: str, found: Findings) -> dict[str, Page]:
    heads, _ = ports.catalogue.page(space, limit=10_000)
    live = {head.slug: head for head in heads}
    pages: dict[str, Page] = {}
    for name in ports.pages.names(space, "concepts/", limit=10_000):
        slug = name.removeprefix("concepts/").removesuffix(".md")
        stored = ports.pages.read(space, name)
        assert stored is not None
        page = pages[slug] = parse(slug, stored.body)
        head = live.pop(slug, None)
        if page.problems or page.invisible:
            found.torn.append(f"{slug} does not read")
        if head is None or (head.etag, head.version) != (stored.etag, stored.version):
            found.torn.append(f"{slug} is another one in the catalogue: {stored.run} {stored.rev}")
        elif head.indexed_rev < head.rev:
            found.torn.append(f"{slug} is not indexed")
    found.torn += [f"{slug} is only in the catalogue" for slug in live]
    for slug, page in pages.items():
        if is_hub(page):
            found.torn += [
                f"{slug} lists {child}, which is not there" for child in set(children(page)) - set(pages)
            ]
    return pages


def _frames(ports: Ports, space: str, found: Findings) -> None:
    newest = ports.spaces.head(space).frame
    open_ = [
        run for run in ports.runs.page(space, limit=1_000)[0] if (run.get("frame") or {}).get("state") == "open"
    ]
    found.torn += [f"the frame of {run['run']} is open" for run in open_]
    late = [e for e in ports.entries.page(space, status="superseded", limit=10_000)[0] if e.fence > newest]
    found.torn += [f"the stamp of {entry.id} was never committed" for entry in late]
