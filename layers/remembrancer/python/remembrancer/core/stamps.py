"""What a deterministic pass decided, and the entries that it changes."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from remembrancer.core.entries import NORM_V, Entry
from remembrancer.errors import Invalid


@dataclass(frozen=True, slots=True)
class Stamp:
    """`loser` gives way to `winner`: by `exact`, `near` or `model`, with Dice and the threshold it passed."""

    loser: str
    winner: str
    rule: str
    score: float
    threshold: float
    norm_v: int = NORM_V


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one pass changes: stamps in order, confirmed pairs (winner, its copy), conflict pairs (older, newer).

    `twins` are equal texts of two kinds (older, newer): both stay, and belong on one page.
    """

    stamps: tuple[Stamp, ...] = ()
    confirmed: tuple[tuple[str, str], ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    twins: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For a run's files."""
        return asdict(self)


def outcome_from(found: Mapping[str, Any]) -> Outcome:
    """The outcome that `as_dict` (or JSON of it) describes; absent parts are empty."""

    def pairs(name: str) -> tuple[tuple[str, str], ...]:
        return tuple((one, other) for one, other in found.get(name, ()))

    stamps = tuple(Stamp(**stamp) for stamp in found.get("stamps", ()))
    return Outcome(stamps, pairs("confirmed"), pairs("conflicts"), pairs("twins"))


def apply(entries: Iterable[Entry], outcome: Outcome, run: str, now_ms: int, fence: int = 0) -> list[Entry]:
    """The changed entries, by id: losers stamped (and filed by the run), winners confirmed, conflicts, twins.

    Entries that are not given are left out, and what is changed already is not changed again, so a retry is safe.
    """
    before = {entry.id: entry for entry in entries}
    after = dict(before)
    for stamp in outcome.stamps:
        loser, winner = after.get(stamp.loser), after.get(stamp.winner)
        if loser is None or winner is None:
            continue
        after[loser.id] = replace(
            loser,
            fence=loser.fence if loser.superseded_by == winner.id else fence,
            superseded_by=winner.id,
            rule=stamp.rule,
            score=stamp.score,
            stamped_by=loser.stamped_by or run,
            filed_by=loser.filed_by or run,
        )
        if stamp.rule == "exact":
            seen = max(winner.last_confirmed_ms, loser.last_confirmed_ms, min(loser.at_ms, now_ms))
            sources = dict.fromkeys((*winner.sources, *loser.sources, *filter(None, [loser.source])))
            after[winner.id] = replace(winner, last_confirmed_ms=seen, sources=tuple(sources))
        for other in (after[id] for id in loser.conflicts if id in after):
            left = tuple(id for id in other.conflicts if id != loser.id)
            after[other.id] = replace(other, conflicts=left)
    for older, newer in outcome.conflicts:
        for one, partner in ((older, newer), (newer, older)):
            if one in after and partner not in after[one].conflicts:
                after[one] = replace(after[one], conflicts=(*after[one].conflicts, partner))
    for older, newer in outcome.twins:
        for one, partner in ((older, newer), (newer, older)):
            if one in after and partner not in after[one].twins:
                after[one] = replace(after[one], twins=(*after[one].twins, partner))
    # the rev counts texts: a stamp changes none, so what the index holds stays good
    return [entry for id, entry in sorted(after.items()) if entry != before[id]]


def restored(entry: Entry) -> Entry:
    """A superseded entry as one that waits again; pinned, so that no rule stamps it.

    Its rev grows, or the index would keep the document that says it is superseded.
    """
    waiting = replace(entry, superseded_by="", rule="", score=None, stamped_by="", fence=0, filed_by="")
    return replace(waiting, rev=entry.rev + 1, pinned=True)


def resolve(superseded_by: Mapping[str, str], id: str) -> str:
    """The last winner of an entry's chain, itself when it is active. A cycle is refused."""
    seen = {id}
    while winner := superseded_by.get(id, ""):
        if winner in seen:
            raise Invalid("the chain of supersession ends in itself", field="superseded_by")
        seen.add(winner)
        id = winner
    return id
