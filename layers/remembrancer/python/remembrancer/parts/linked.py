"""What belongs to pages: their passages, the entries filed to them, the entries that link to them."""

from collections.abc import Sequence

from remembrancer.core.entries import Entry
from remembrancer.core.links import wikilinks
from remembrancer.core.slugs import is_slug, slugify
from remembrancer.core.unit_text import entry_unit
from remembrancer.core.units import Hit
from remembrancer.parts.retrieve import Filter, Retrieved


def linked_hits(found: Retrieved, pages: Sequence[str], wanted: Filter) -> list[Hit]:
    """Passages in the order of their pages, then entries, newest first; only what the filter leaves."""
    passages = [hit for hit in found.lanes.get("linked", ()) if hit.unit.type in wanted.types]
    indexed = {hit.unit.parent: hit for hit in found.lanes.get("linking", ())}
    cited = {entry for hit in found.lanes.get("linked", ()) for entry in hit.unit.entries}
    newest = sorted(found.entries.values(), key=lambda entry: entry.id, reverse=True)
    near = [e for e in newest if _wanted(e, wanted) and (e.id in cited or not _targets(e).isdisjoint(pages))]
    return [*passages, *(indexed.get(entry.id) or _bare(entry) for entry in near)]


def _targets(entry: Entry) -> set[str]:
    links = [*entry.links, *wikilinks(entry.text)]
    return {*entry.filed_to, *(link if is_slug(link) else slugify(link) for link in links)}


def _wanted(entry: Entry, wanted: Filter) -> bool:
    after, before = wanted.after_ms, wanted.before_ms
    dated = (after is None or entry.at_ms >= after) and (before is None or entry.at_ms < before)
    kind = not wanted.kinds or entry.kind in wanted.kinds
    return "entry" in wanted.types and kind and dated and (entry.active or wanted.superseded)


def _bare(entry: Entry) -> Hit:
    return Hit(entry.id, entry_unit(entry, [], []), {})
