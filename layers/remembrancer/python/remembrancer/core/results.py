"""Ranked units as what a caller of recall asked for: best of each, by rank, for variety or by chance."""

import random
from collections.abc import Mapping, Sequence

from remembrancer.core.catalogue import PageHead
from remembrancer.core.dice import likeness
from remembrancer.core.entries import Entry
from remembrancer.core.ranking import Ranked
from remembrancer.core.selection import FLOOR, Option, mmr, pool, weighted

STRATEGIES = ("ranked", "mmr", "weighted")


def best_of_each(ranked: Sequence[Ranked], what: str) -> list[Ranked]:
    """The best unit of every section or page; all of them for passages and entries."""
    if what not in ("sections", "pages"):
        return list(ranked)
    best: dict[tuple[str, str], Ranked] = {}
    for one in ranked:
        section = one.hit.unit.section if what == "sections" else ""
        best.setdefault((one.hit.unit.parent, section), one)
    return list(best.values())


def chosen(
    ranked: Sequence[Ranked],
    heads: Mapping[str, PageHead],
    entries: Mapping[str, Entry],
    *,
    strategy: str,
    limit: int,
    floor: float | None,
    seed: int | None,
) -> list[Ranked]:
    """Up to `limit` units. `ranked` takes the best, `mmr` looks for variety, `weighted` draws by chance.

    `floor` is a share of the best score; without one it is 0 for ranked. The same seed draws the same.
    """
    top = max((one.score for one in ranked), default=0.0)
    units = {one.hit.id: one for one in ranked}
    every = [_option(one, top, heads, entries) for one in ranked]
    if strategy == "ranked":
        taken = [option for option in every if option.score >= (floor or 0.0)][:limit]
    else:
        kept = pool(every, FLOOR if floor is None else floor)
        if strategy == "mmr":
            taken = mmr(kept, lambda one, other: likeness(one.text, other.text).score, limit)
        else:
            taken = weighted(kept, iter(random.Random(seed).random, None), limit)
    return [units[option.id] for option in taken]


def _option(ranked: Ranked, top: float, heads: Mapping[str, PageHead], entries: Mapping[str, Entry]) -> Option:
    unit = ranked.hit.unit
    behind = entries.get(unit.parent) if unit.type == "entry" else heads.get(unit.parent)
    known = behind.importance if behind is not None else None
    score = max(0.0, ranked.score) / top if top > 0 else 0.0
    return Option(ranked.hit.id, score, 0.5 if known is None else known, text=unit.shown)
