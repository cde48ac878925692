"""How the record of a session moves: pure steps, each gives the new record and what changed in it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from remembrancer.core.memory import Injected
from remembrancer.core.sessions import Resident, SessionRecord
from remembrancer.errors import Invalid

LIMIT_BYTES = 393_216
TARGET_BYTES = 262_144

Step = tuple[SessionRecord, tuple[Resident, ...]]


def select(record: SessionRecord, injected: Sequence[Injected], now_ms: int) -> Step:
    """Note what a turn was sent and what it asked for again."""
    changed: dict[str, Resident] = {}
    for unit in injected:
        held = changed.get(unit.id) or record.residents.get(unit.id)
        if unit.resident:
            if held is not None and not held.pruned:
                changed[unit.id] = replace(held, last_selected_ms=now_ms)
            continue
        before = held if held is not None and not held.pruned else Resident(unit.id, 0, now_ms, now_ms)
        changed[unit.id] = replace(
            before,
            bytes=before.bytes + unit.bytes,
            last_selected_ms=now_ms,
            prints=tuple(dict.fromkeys((*before.prints, *unit.prints))),
            entries=tuple(dict.fromkeys((*before.entries, *unit.entries))),
        )
    return _with(record, changed)


def new_epoch(record: SessionRecord) -> SessionRecord:
    """After a compaction: everything may come again."""
    return replace(record, epoch=record.epoch + 1, residents={})


def resident_bytes(residents: Iterable[Resident]) -> int:
    """Bytes of all units that have not been pruned."""
    return sum(r.bytes for r in residents if not r.pruned)


def prune_valve(
    residents: Iterable[Resident], limit: int = LIMIT_BYTES, target: int = TARGET_BYTES
) -> tuple[str, ...]:
    """Ids to drop when more than `limit` bytes are resident: the longest unasked for first, down to `target`."""
    if target >= limit:
        raise Invalid("the target of the prune valve must be smaller than its limit", field="target")
    held = sorted((r for r in residents if not r.pruned), key=lambda r: (r.last_selected_ms, r.unit))
    left = resident_bytes(held)
    victims: list[str] = []
    if left > limit:
        for resident in held:
            if left <= target:
                break
            if resident.bytes:
                victims.append(resident.unit)
                left -= resident.bytes
    return tuple(victims)


def gone(
    record: SessionRecord,
    is_alive: Callable[[str], bool],
    is_forgotten: Callable[[str], bool] = lambda _: False,
) -> tuple[str, ...]:
    """Ids of resident units that must leave the conversation.

    `is_alive` is asked about slugs and entry ids; `is_forgotten` about the entries that a passage cites, because a
    page may live on without the line that cited a deleted entry.
    """
    return tuple(
        r.unit
        for r in record.residents.values()
        if not r.pruned and (not is_alive(r.parent) or any(map(is_forgotten, r.entries)))
    )


def prune(record: SessionRecord, ids: Iterable[str]) -> Step:
    """Mark units as dropped; they may be sent again."""
    held = {i: record.residents[i] for i in ids if i in record.residents and not record.residents[i].pruned}
    return _with(record, {i: replace(r, pruned=True) for i, r in held.items()})


def _with(record: SessionRecord, changed: Mapping[str, Resident]) -> Step:
    return replace(record, residents={**record.residents, **changed}), tuple(changed.values())
