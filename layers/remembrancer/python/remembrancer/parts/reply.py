"""The body of an inject reply, in each of its formats."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from remembrancer.core.choice import Candidate
from remembrancer.core.entries import Entry
from remembrancer.core.gate import Verdict
from remembrancer.core.memory import Injected
from remembrancer.core.residency import resident_bytes
from remembrancer.core.sessions import SessionRecord, line_prints
from remembrancer.core.tokens import count
from remembrancer.core.toolcall import Item, new_items, summary, system, tool_call
from remembrancer.core.units import Unit
from remembrancer.parts.turn import Turn


def reply(
    record: SessionRecord,
    blocks: Mapping[str, str],
    units: Sequence[Injected],
    gate: Verdict,
    *,
    prune: Sequence[str] = (),
    degraded: Sequence[str] = (),
) -> dict[str, Any]:
    """The body of a reply; empty blocks are left out."""
    return {
        "blocks": {name: text for name, text in blocks.items() if text},
        "units": [shown(unit) for unit in units],
        "prune": list(prune),
        "gate": {"open": gate.open, "reason": gate.reason},
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


@dataclass(frozen=True, slots=True)
class Message:
    """Memory as messages instead of a block: only the units that they name were sent."""

    messages: list[dict[str, Any]]
    units: tuple[Injected, ...]


def message(
    turn: Turn, units: Sequence[Injected], candidates: Sequence[Candidate], fresh: Sequence[Entry]
) -> Message:
    """The units as a tool call or a system message, within the turn's budget; resident ones are not repeated.

    The summary of a long text stands for all of it: the rest does not come later.
    """
    found = _texts(candidates, fresh)
    texts = {unit.id: _text(unit, found) for unit in units if not unit.resident}
    items = [(name, summary(text)) for name, text in texts.items()]
    if turn.format == "tool_call":
        items = new_items(items, (), turn.sent_in_loop)
    while items and count(system(items)) > turn.budget_tokens:
        items.pop()
    sizes = {name: f"{name}: {text}" for name, text in items}
    sent = tuple(
        replace(
            unit,
            bytes=len(sizes[unit.id].encode()),
            tokens=count(sizes[unit.id]),
            prints=tuple(dict.fromkeys((*unit.prints, *line_prints(texts[unit.id])))),
        )
        if unit.id in sizes
        else unit
        for unit in units
        if unit.resident or unit.id in sizes
    )
    return Message(_messages(turn, items), sent)


def _messages(turn: Turn, items: Sequence[Item]) -> list[dict[str, Any]]:
    if turn.format == "tool_call":
        digest = hashlib.sha256(f"{turn.session_id}\n{turn.turn_id}".encode(errors="replace")).hexdigest()
        return tool_call(items, call_id=f"memory_{digest[:24]}", shape=turn.shape)
    return [{"role": "system", "content": system(items)}] if items else []


def _texts(candidates: Sequence[Candidate], fresh: Sequence[Entry]) -> dict[tuple[str, str], list[Unit | Entry]]:
    """What there is to show, by page and section, or by entry."""
    found: dict[tuple[str, str], list[Unit | Entry]] = {}
    for unit in sorted((c.unit for c in candidates), key=lambda unit: unit.ordinal):
        found.setdefault((unit.parent, unit.section), []).append(unit)
    for entry in fresh:
        found.setdefault((entry.id, ""), [entry])
    return found


def _text(unit: Injected, texts: Mapping[tuple[str, str], Sequence[Unit | Entry]]) -> str:
    parts = texts[unit.entry or unit.slug, unit.section]
    whole = next((p.whole for p in parts if isinstance(p, Unit) and p.whole and not unit.passages), "")
    return whole or "\n".join(
        part.text if isinstance(part, Entry) else part.shown
        for part in parts
        if isinstance(part, Entry) or not unit.passages or part.ordinal in unit.passages
    )
