"""Leads of pages, read from the bucket by version: a warm process reads each once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from remembrancer.core.catalogue import PageHead
from remembrancer.core.entries import text_hash
from remembrancer.core.pages import parse
from remembrancer.core.sections import sections
from remembrancer.core.unit_text import passage_units
from remembrancer.core.units import Unit
from remembrancer.parts.pagewrite import page_name
from remembrancer.ports import Ports

READERS = 16
KEPT = 2_000
_kept: dict[tuple[str, str, str], Unit | None] = {}
"""By space, slug and version. Whoever forgets a text writes its pages anew, so a version stays right."""


def leads(ports: Ports, space: str, slugs: Sequence[str]) -> dict[str, Unit]:
    """The first passage of each live page, unless its text is forgotten."""
    heads = ports.catalogue.heads(space, slugs) if slugs else {}
    live = [one for slug in slugs if (one := heads.get(slug)) is not None and not one.deleted]
    new = [one for one in live if (space, one.slug, one.version) not in _kept]
    if new:
        if len(_kept) + len(new) > KEPT:
            _kept.clear()
        with ThreadPoolExecutor(READERS) as pool:
            units = list(pool.map(lambda one: _lead(ports, space, one), new))
        hashes = {text_hash(unit.shown) for unit in units if unit is not None}
        forgotten = ports.entries.forgotten(space, hashes) if hashes else set()
        for one, unit in zip(new, units, strict=True):
            fine = unit is not None and text_hash(unit.shown) not in forgotten
            _kept[space, one.slug, one.version] = unit if fine else None
    found = {one.slug: _kept.get((space, one.slug, one.version)) for one in live}
    return {slug: unit for slug, unit in found.items() if unit is not None}


def _lead(ports: Ports, space: str, one: PageHead) -> Unit | None:
    stored = ports.pages.read(space, page_name(one.slug), version=one.version)
    if stored is None:
        return None
    page = parse(one.slug, stored.body)
    first = [part for part in sections(page.body) if part.passages][:1]
    units = passage_units(page, first, one)
    return units[0] if units and not page.invisible else None
