"""What one turn of a conversation gets: the static block when asked for, and the memory that is new to it."""

import json
from collections.abc import Sequence
from typing import Any

from remembrancer.core.catalogue import SpaceHead, tier
from remembrancer.core.dates import parse_instant
from remembrancer.core.entries import Entry
from remembrancer.core.gate import Verdict
from remembrancer.core.info import info_block
from remembrancer.core.sessions import SessionRecord
from remembrancer.core.slugs import check_identifier
from remembrancer.core.zones import parse_zone
from remembrancer.errors import PreconditionFailed, RemembrancerError, Throttled
from remembrancer.parts.answer import Read, answer
from remembrancer.parts.info import info
from remembrancer.parts.reply import reply
from remembrancer.parts.residents import vanished
from remembrancer.parts.side import SIDE
from remembrancer.parts.turn import Turn, offer
from remembrancer.ports import Ports

BUFFER = 120
TRIES = 40


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
    pending_ = SIDE.submit(ports.entries.pending, space, limit=BUFFER, newest_first=True)
    head = ports.spaces.head(space)
    record, pending = record_.result(), pending_.result()
    if tier(head) == "off":
        return reply(record, {}, (), Verdict(False, "memory_off"))
    if turn.fork_of and not record.rev:
        ports.sessions.copy(space, turn.fork_of, turn.session_id)
        record = ports.sessions.load(space, turn.session_id)
    gone_ = SIDE.submit(vanished, ports, space, record, head.frame)
    static_ = SIDE.submit(_static, ports, space, head, turn, pending)
    offered = offer(ports, space, head, turn, tier(head), now)
    static, failed = static_.result()
    read = Read(pending, tier(head), static, offered, gone_.result(), (*offered.degraded, *failed))
    for _ in range(TRIES):
        try:
            return answer(ports, space, turn, record, read)
        except PreconditionFailed:
            # this very turn has its reply already, or another one was faster: once more with its record
            if memo := ports.sessions.memo(space, turn.session_id, turn.turn_id):
                return dict(json.loads(memo))
            record = ports.sessions.load(space, turn.session_id)
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
