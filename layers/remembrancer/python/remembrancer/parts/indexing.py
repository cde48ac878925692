"""Pages and entries into the index: built, embedded, then replaced, so that a failure leaves the old documents."""

from collections.abc import Iterable, Mapping, Sequence, Set

from remembrancer.core.catalogue import PageHead
from remembrancer.core.entries import Entry
from remembrancer.core.filing import SOURCE
from remembrancer.core.pages import Page
from remembrancer.core.sections import Section, fact_hashes, sections
from remembrancer.core.unit_text import PAGE_ORDINAL, entry_unit, page_unit, passage_units
from remembrancer.core.units import Unit
from remembrancer.errors import Throttled, Unavailable
from remembrancer.ports import Embedded, Ports

Gone = tuple[str, int, int]


def embed_units(ports: Ports, units: Sequence[Unit]) -> list[Embedded]:
    """Both vectors of every unit; equal texts are embedded once."""
    texts = list(dict.fromkeys(text for unit in units for text in (unit.embed, unit.ctx)))
    vectors = dict(zip(texts, ports.embedder.embed(texts, "document"), strict=True)) if texts else {}
    return [Embedded(unit, vectors[unit.embed], vectors[unit.ctx]) for unit in units]


def put(
    ports: Ports, space: str, units: Sequence[Embedded], gone: Sequence[Gone], *, repair: bool = False
) -> None:
    """Write in bulk; a document that cannot be written is an error of ours."""
    failed = ports.index.put(space, units, gone=gone, repair=repair)
    if failed:
        raise Unavailable(f"{len(failed)} documents were not indexed")


def index_page(
    ports: Ports,
    space: str,
    page: Page,
    head: PageHead,
    *,
    before: int,
    forgotten: Set[str],
    known: Mapping[str, Entry] | None = None,
) -> int:
    """Make the index hold exactly this page, without what is `forgotten`; how many passages it has.

    `before` is how many it had, `known` are entries at hand; others that a page of rules cites are read.
    """
    parts = sections(page.body)
    units = passage_units(page, parts, head, _behind(ports, space, parts, head, known or {}))
    kept = [unit for unit in units if not (forgotten and fact_hashes(unit.shown) & forgotten)]
    if not page.invisible:
        kept.append(page_unit(page, parts, head))
    held = {unit.ordinal for unit in kept}
    span = range(max([before, *(unit.ordinal + 1 for unit in units)]))
    gone = [(head.slug, ordinal, head.rev) for ordinal in span if ordinal not in held]
    put(ports, space, embed_units(ports, kept), gone)
    return len(units)


def _behind(
    ports: Ports, space: str, parts: Sequence[Section], head: PageHead, known: Mapping[str, Entry]
) -> Mapping[str, Entry]:
    if head.source != SOURCE:
        return {}
    cited = dict.fromkeys(id for part in parts for passage in part.passages for id in passage.entries)
    missing = [id for id in cited if id not in known]
    return {**known, **ports.entries.get(space, missing)} if missing else known


def drop_page(ports: Ports, space: str, head: PageHead) -> None:
    """Remove every document of a page that is gone."""
    put(ports, space, [], [(head.slug, ordinal, head.rev) for ordinal in range(-1, head.units + 1)])


def index_entries(ports: Ports, space: str, new: Sequence[Entry]) -> int:
    """Index entries with their neighbours of the same session, and the two before each anew; how many had changed.

    What the index has already is not embedded again: most changes of an entry are not about its text.
    """
    units: dict[str, Unit] = {}
    for session in dict.fromkeys(entry.session_id for entry in new):
        mine = [entry for entry in new if entry.session_id == session]
        if not session:
            line = mine
        else:
            known = {e.id: e for e in ports.entries.of_session(space, session, limit=len(mine) + 8)}
            line = sorted({**known, **{e.id: e for e in mine}}.values(), key=lambda e: e.id)
        wanted = {entry.id for entry in mine}
        for place, entry in enumerate(line):
            near = line[max(0, place - 2) : place], line[place + 1 : place + 3]
            if entry.id not in wanted and not (entry.active and any(e.id in wanted for e in near[1])):
                continue
            before, after = near if session else ([], [])
            units[entry.id] = entry_unit(entry, before, after)
    held = ports.index.revs(space, [(entry_id, 0) for entry_id in units])
    changed = [unit for unit in units.values() if held.get((unit.parent, 0), -1) < unit.rev]
    put(ports, space, embed_units(ports, changed), [])
    return len(changed)


def index_now(
    ports: Ports,
    space: str,
    page: Page,
    head: PageHead,
    *,
    before: int,
    forgotten: Set[str],
    known: Mapping[str, Entry] | None = None,
) -> bool:
    """Index a page that was just written. A failing embedder or index leaves it to the bucket's event.

    The event also marks the page as indexed: it sees for itself whether that is so.
    """
    if head.indexed_rev >= head.rev:
        return True
    try:
        index_page(ports, space, page, head, before=before, forgotten=forgotten, known=known)
    except (Unavailable, Throttled):
        return False
    return True


def in_index(ports: Ports, space: str, page: Page, head: PageHead) -> bool:
    """True when the index has every unit of the page at the head's rev."""
    units = [(head.slug, ordinal) for ordinal in range(0 if page.invisible else PAGE_ORDINAL, head.units)]
    revs = ports.index.revs(space, units)
    return all(revs.get(unit) == head.rev for unit in units)


def forgotten_in(ports: Ports, space: str, pages: Iterable[Page]) -> set[str]:
    """The hashes of passages of these pages whose text was forgotten, in one look."""
    passages = (p for page in pages for part in sections(page.body) for p in part.passages)
    hashes = {one for passage in passages for one in fact_hashes(passage.text)}
    return ports.entries.forgotten(space, hashes) if hashes else set()
