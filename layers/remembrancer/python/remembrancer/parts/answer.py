"""The answer to a turn: what is new to its conversation, recorded before it is given."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from remembrancer.core.entries import Entry
from remembrancer.core.info import in_buffer
from remembrancer.core.memory import Injected, memory_block
from remembrancer.core.pointer import pointer_block
from remembrancer.core.residency import new_epoch, prune, prune_valve, select
from remembrancer.core.sessions import SessionRecord
from remembrancer.parts.lanes import Offered, note
from remembrancer.parts.reply import message, reply
from remembrancer.parts.turn import Turn
from remembrancer.ports import Ports

SKEW_MS = 60_000


@dataclass(frozen=True, slots=True)
class Read:
    """What was read for a turn, whatever the session's record is by the time it is answered."""

    pending: Sequence[Entry]
    tier: str
    static: str
    offer: Offered
    gone: tuple[str, ...]
    degraded: tuple[str, ...]


def answer(ports: Ports, space: str, turn: Turn, record: SessionRecord, read: Read) -> dict[str, Any]:
    """Choose what is new to the session's record, store the record, then answer."""
    now, rev = ports.clock.now_ms(), record.rev
    if turn.compacted:
        record = new_epoch(record)
    epoch = record.epoch
    gone = [unit for unit in read.gone if unit in record.residents and not record.residents[unit].pruned]
    record, dropped = prune(record, gone)
    listed = {entry.id for entry in in_buffer(read.pending)} if read.static else set()
    new = [e for e in read.pending if e.remembered_ms >= record.updated_ms - SKEW_MS]
    fresh = [] if read.static or read.tier == "v1" else new
    candidates = [c for c in read.offer.candidates if c.unit.parent not in listed]
    block = memory_block(candidates, fresh, record.residents, turn.budget_tokens)
    memory, units, more = block.text, block.units, {}
    if turn.format != "blocks":
        messages = message(turn, block.units, candidates, fresh)
        memory, units, more = "", messages.units, {"messages": messages.messages}
    blocks = {"info": read.static, "memory": memory, "pointer": pointer_block(units, record.residents)}
    record, changed = select(record, [*units, *map(_in_info, sorted(listed))], now)
    victims = prune_valve(record.residents.values())
    record, pruned = prune(record, victims)
    sent = reply(record, blocks, units, read.offer.gate, prune=[*gone, *victims], degraded=read.degraded) | more
    latest = {resident.unit: resident for resident in (*dropped, *changed, *pruned)}
    stored = replace(record, rev=rev, epoch=epoch, updated_ms=now)
    text = json.dumps(sent, ensure_ascii=False)
    ports.sessions.record(
        space, stored, list(latest.values()), turn_id=turn.turn_id, reply=text, picks=note(units)
    )
    return sent


def _in_info(entry_id: str) -> Injected:
    """An entry that stands in the static block, as a unit of the record: it need not come again."""
    return Injected(
        id=entry_id,
        slug="",
        entry=entry_id,
        section="",
        passages=(),
        lane="info",
        score=0.0,
        bytes=0,
        tokens=0,
        resident=False,
        entries=(entry_id,),
    )
