"""What one turn of a conversation gets: the static block when asked for, and the memory that is new to it."""

import json
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from remembrancer.core.catalogue import SpaceHead, tier
from remembrancer.core.choice import Candidate
from remembrancer.core.dates import parse_instant
from remembrancer.core.entries import Entry
from remembrancer.core.info import in_buffer
from remembrancer.core.memory import Injected, memory_block
from remembrancer.core.pointer import pointer_block
from remembrancer.core.residency import new_epoch, prune, prune_valve, resident_bytes, select
from remembrancer.core.sessions import SessionRecord
from remembrancer.core.slugs import check_identifier
from remembrancer.core.zones import parse_zone
from remembrancer.errors import PreconditionFailed
from remembrancer.parts.info import info
from remembrancer.parts.retrieve import Filter, Retrieved, retrieve
from remembrancer.ports import Ports

BUFFER = 120
SKEW_MS = 60_000
TIMEOUT_S = 2.5


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as the caller describes it. `now` is ISO 8601 or empty for the service's clock."""

    session_id: str
    turn_id: str
    message: str
    mode: str = "turn"
    compacted: bool = False
    budget_tokens: int = 1_200
    now: str = ""
    zone: str = ""


def inject(ports: Ports, space: str, turn: Turn, *, guest: bool = False) -> dict[str, Any]:
    """Blocks and units for the turn. The same `turn_id` again gets the same reply and records nothing twice.

    A failing index or embedder is named in `degraded`; the static block and new facts come all the same.
    """
    check_identifier(turn.session_id, "session_id")
    if turn.zone:
        parse_zone(turn.zone)
    if guest:
        return reply(SessionRecord(turn.session_id), {}, (), "guest")
    now = parse_instant(turn.now, "now") if turn.now else ports.clock.now_ms()
    with ThreadPoolExecutor(4) as pool:
        record_ = pool.submit(ports.sessions.load, space, turn.session_id)
        memo_ = pool.submit(ports.sessions.memo, space, turn.session_id, turn.turn_id)
        pending_ = pool.submit(ports.entries.pending, space, limit=BUFFER, newest_first=True)
        head = ports.spaces.head(space)
        record, memo, pending = record_.result(), memo_.result(), pending_.result()
    if memo is not None:
        return dict(json.loads(memo))
    now_tier = tier(head)
    if now_tier == "off":
        return reply(record, {}, (), "memory_off")
    static = info(ports, space, head, pending) if turn.mode == "full" else ""
    found = _find(ports, space, head, turn, now) if now_tier == "v3" else None
    try:
        return _answer(ports, space, turn, record, head, pending, static, found)
    except PreconditionFailed:
        # another turn of this session was faster: once more with its record
        record = ports.sessions.load(space, turn.session_id)
        return _answer(ports, space, turn, record, head, pending, static, found)


def _find(ports: Ports, space: str, head: SpaceHead, turn: Turn, now: int) -> Retrieved:
    return retrieve(
        ports,
        space,
        head,
        turn.message,
        now_ms=now,
        zone=turn.zone or head.zone,
        wanted=Filter(),
        purpose="inject",
        timeout_s=TIMEOUT_S,
    )


def _answer(
    ports: Ports,
    space: str,
    turn: Turn,
    record: SessionRecord,
    head: SpaceHead,
    pending: Sequence[Entry],
    static: str,
    found: Retrieved | None,
) -> dict[str, Any]:
    """Choose what is new to the session's record, store the record, then answer."""
    now = ports.clock.now_ms()
    if turn.compacted:
        record = new_epoch(record)
    listed = {entry.id for entry in in_buffer(pending)} if static else set()
    fresh = [] if static else [e for e in pending if e.remembered_ms >= record.updated_ms - SKEW_MS]
    ranked = found.ranked if found else ()
    candidates = [Candidate(r.hit.unit, "match", r.score) for r in ranked if r.hit.unit.parent not in listed]
    block = memory_block(candidates, fresh, record.residents, turn.budget_tokens)
    blocks = {"info": static, "memory": block.text, "pointer": pointer_block(block.units, record.residents)}
    rev, epoch = record.rev, record.epoch
    record, changed = select(record, [*block.units, *in_info(listed)], now)
    dropped = prune_valve(record.residents.values())
    record, pruned = prune(record, dropped)
    reason = "no_index" if found is None else "match" if ranked else "no_match"
    answer = reply(
        record,
        {name: text for name, text in blocks.items() if text},
        block.units,
        reason,
        prune=dropped,
        degraded=found.degraded if found else (),
    )
    text = json.dumps(answer, ensure_ascii=False)
    latest = {resident.unit: resident for resident in (*changed, *pruned)}
    stored = replace(record, rev=rev, epoch=epoch, updated_ms=now)
    ports.sessions.record(space, stored, list(latest.values()), turn_id=turn.turn_id, reply=text)
    return answer


def in_info(listed: Collection[str]) -> list[Injected]:
    """Entries that stand in the static block, as units of the record: they need not come again."""
    return [
        Injected(
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
        for entry_id in sorted(listed)
    ]


def reply(
    record: SessionRecord,
    blocks: dict[str, str],
    units: Sequence[Injected],
    reason: str,
    *,
    prune: Sequence[str] = (),
    degraded: Sequence[str] = (),
) -> dict[str, Any]:
    """The body of a reply."""
    return {
        "blocks": blocks,
        "units": [shown(unit) for unit in units],
        "prune": list(prune),
        "gate": {"open": reason == "match", "reason": reason},
        "session": {"epoch": record.epoch, "resident_bytes": resident_bytes(record.residents.values())},
        "degraded": list(degraded),
    }


def shown(unit: Injected) -> dict[str, Any]:
    """A unit as callers see it."""
    place = {"entry": unit.entry} if unit.entry else {"slug": unit.slug, "section": unit.section}
    return {
        "id": unit.id,
        **place,
        "passages": list(unit.passages),
        "lane": unit.lane,
        "score": round(unit.score, 6),
        "bytes": unit.bytes,
        "tokens": unit.tokens,
        "resident": unit.resident,
    }
