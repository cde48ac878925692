"""What one turn of a conversation gets: the static block when asked for, and the memory that is new to it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from remembrancer.core.catalogue import SpaceHead, tier
from remembrancer.core.dates import parse_instant
from remembrancer.core.entries import Entry
from remembrancer.core.gate import Verdict
from remembrancer.core.info import in_buffer, info_block
from remembrancer.core.memory import Injected, memory_block
from remembrancer.core.pointer import pointer_block
from remembrancer.core.residency import new_epoch, prune, prune_valve, select
from remembrancer.core.sessions import SessionRecord
from remembrancer.core.slugs import check_identifier
from remembrancer.core.zones import parse_zone
from remembrancer.errors import PreconditionFailed, RemembrancerError, Throttled
from remembrancer.parts.info import info
from remembrancer.parts.lanes import Offered, note
from remembrancer.parts.reply import message, reply
from remembrancer.parts.residents import vanished
from remembrancer.parts.side import SIDE
from remembrancer.parts.turn import Turn, offer
from remembrancer.ports import Ports

BUFFER = 120
SKEW_MS = 60_000
TRIES = 40


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read for a turn, whatever the session's record is by the time it is answered."""

    pending: Sequence[Entry]
    tier: str
    static: str
    offer: Offered
    gone: tuple[str, ...]
    degraded: tuple[str, ...]


def inject(ports: Ports, space: str, turn: Turn, *, guest: bool = False) -> dict[str, Any]:
    """Blocks and units for the turn. The same `turn_id` again gets the same reply and records nothing twice.

    A failing index or embedder is named in `degraded`; the static block and new facts come all the same.
    """
    check_identifier(turn.session_id, "session_id")
    if turn.fork_of:
        check_identifier(turn.fork_of, "fork_of")
    if turn.zone:
        parse_zone(turn.zone)
    now = parse_instant(turn.now, "now") if turn.now else ports.clock.now_ms()
    if guest:
        return reply(SessionRecord(turn.session_id), {}, (), Verdict(False, "guest"))
    record_ = SIDE.submit(ports.sessions.load, space, turn.session_id)
    memo_ = SIDE.submit(ports.sessions.memo, space, turn.session_id, turn.turn_id)
    pending_ = SIDE.submit(ports.entries.pending, space, limit=BUFFER, newest_first=True)
    head = ports.spaces.head(space)
    record, memo, pending = record_.result(), memo_.result(), pending_.result()
    if memo is not None:
        return dict(json.loads(memo))
    if tier(head) == "off":
        return reply(record, {}, (), Verdict(False, "memory_off"))
    if turn.fork_of and not record.rev:
        ports.sessions.copy(space, turn.fork_of, turn.session_id)
        record = ports.sessions.load(space, turn.session_id)
    # the first look may have been before the same turn was recorded, and the record read after it
    memo_ = SIDE.submit(ports.sessions.memo, space, turn.session_id, turn.turn_id if record.rev else "")
    gone_ = SIDE.submit(vanished, ports, space, record, head.frame)
    static_ = SIDE.submit(_static, ports, space, head, turn, pending)
    offered = offer(ports, space, head, turn, tier(head), now)
    (static, failed), memo = static_.result(), memo_.result()
    read = _Read(pending, tier(head), static, offered, gone_.result(), (*offered.degraded, *failed))
    for _ in range(TRIES):
        if memo is not None:
            return dict(json.loads(memo))
        try:
            return _answer(ports, space, turn, record, read)
        except PreconditionFailed:
            # another turn of this session was faster: once more with its record, unless it was this very turn
            record = ports.sessions.load(space, turn.session_id)
            memo = ports.sessions.memo(space, turn.session_id, turn.turn_id)
    raise Throttled("too many turns of this session at the same time", retry_after_s=1)


def _static(
    ports: Ports, space: str, head: SpaceHead, turn: Turn, pending: Sequence[Entry]
) -> tuple[str, tuple[str, ...]]:
    """The static block, and what it had to do without."""
    if turn.mode != "full":
        return "", ()
    try:
        return info(ports, space, head, pending), ()
    except RemembrancerError:
        return info_block({}, {}, pending), ("views",)


def _answer(ports: Ports, space: str, turn: Turn, record: SessionRecord, read: _Read) -> dict[str, Any]:
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
        sent = message(turn, block.units, candidates, fresh)
        memory, units, more = "", sent.units, {"messages": sent.messages}
    blocks = {"info": read.static, "memory": memory, "pointer": pointer_block(units, record.residents)}
    record, changed = select(record, [*units, *map(_in_info, sorted(listed))], now)
    victims = prune_valve(record.residents.values())
    record, pruned = prune(record, victims)
    answer = reply(record, blocks, units, read.offer.gate, prune=[*gone, *victims], degraded=read.degraded) | more
    latest = {resident.unit: resident for resident in (*dropped, *changed, *pruned)}
    stored = replace(record, rev=rev, epoch=epoch, updated_ms=now)
    text = json.dumps(answer, ensure_ascii=False)
    ports.sessions.record(
        space, stored, list(latest.values()), turn_id=turn.turn_id, reply=text, picks=note(units)
    )
    return answer


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
