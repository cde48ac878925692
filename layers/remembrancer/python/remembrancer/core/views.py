"""The pages that are always injected, made from the active entries; and what a new space's core blocks say.

A view ends with a line that says when and by which run it was made. `keep` compares without it, so that a run with
nothing new changes no byte.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from remembrancer.core.entries import Entry
from remembrancer.core.place import words
from remembrancer.core.plans import closed, content, current, days, is_goal, passed, says_done
from remembrancer.core.prose import readable
from remembrancer.core.zones import day_of

RECENT_CHARS = 2_000
ESSENTIALS_CHARS = 10_000
THREADS_CHARS = 10_000
FACTS_LINES = 200
FACTS_CHARS = 4_000
ESSENTIALS_MAX = 120
NEUTRAL = 0.5
STAMP_CHARS = 80

CORE = {
    "persona": "# Persona\n\nHow the assistant presents itself. Write here; nothing rewrites this page.\n",
    "user": "# User\n\nWho the user is. Write here; nothing rewrites this page.\n",
    "facts": "",
    "context": "# Context\n\nWhat is going on now. Write here; nothing rewrites this page.\n",
}

_STAMP = re.compile(r"\n*_Written \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC by run [^_\n]+_\n*\Z")


def stamped(body: str, now_ms: int, run: str) -> str:
    """The body with its line of origin; an empty body stays empty."""
    when = datetime.fromtimestamp(now_ms / 1000, UTC)
    return f"{body.rstrip()}\n\n_Written {when:%Y-%m-%d %H:%M} UTC by run {run}_\n" if body.strip() else ""


def without_stamp(text: str) -> str:
    """The text of a view without its line of origin."""
    return _STAMP.sub("", text).rstrip("\n")


def keep(old: str, new: str) -> str:
    """The new text when it says something else than the old one, otherwise the old bytes."""
    return old if without_stamp(old) == without_stamp(new) else new


def _line(text: str) -> str:
    return " ".join(text.split())


def _nested(text: str) -> str:
    rows = [row.rstrip() for row in text.split("\n") if row.strip()]
    return "\n  ".join(rows)


def _fit(blocks: Sequence[tuple[str, Sequence[str]]], limit: int) -> str:
    """Headings with their bullets in order until the next bullet would pass the limit; whole bullets only."""
    out: list[str] = []
    used = 0
    for heading, rows in blocks:
        gap = "\n" if out else ""
        opening = f"{gap}### {heading}\n\n" if heading else ""
        for row in rows:
            text = f"{opening}- {row}\n"
            if used + len(text) > limit:
                return "".join(out)
            out.append(text)
            used += len(text)
            opening = ""
    return "".join(out)


def recent(entries: Sequence[Entry], now_ms: int, zone: str) -> str:
    """Today in full and yesterday with one line each, newest first, within the cap; older is dropped."""
    today = day_of(now_ms, zone)
    days = {str(today): "Today", str(today - timedelta(days=1)): "Yesterday"}
    rows: dict[str, list[str]] = {"Today": [], "Yesterday": []}
    for entry in sorted(entries, key=lambda e: (e.at_ms, e.id), reverse=True):
        name = days.get(str(day_of(entry.at_ms, zone)))
        if name and entry.active:
            text = readable(entry.text)
            rows[name].append(_nested(text) if name == "Today" else _first(text))
    blocks = [(f"{name} ({day})", rows[name]) for day, name in days.items() if rows[name]]
    return _fit(blocks, RECENT_CHARS - STAMP_CHARS)


def _first(text: str) -> str:
    first = text.split("\n", 1)[0].strip()
    return first if first == text.strip() else f"{first} …"


def _rank(entry: Entry, uses: Mapping[str, float]) -> tuple[float, int, str]:
    """Pinned first, then importance, what was confirmed again, recall use; the newest of equals."""
    usual = NEUTRAL - 0.2 * (entry.kind == "episodic")
    weight = entry.importance if entry.importance is not None else usual
    weight += 0.1 * min(len(entry.sources), 5) / 5
    weight += 0.1 * (entry.last_confirmed_ms > max(entry.remembered_ms, entry.at_ms))
    weight += 0.3 * min(uses.get(entry.id, 0.0), 10.0) / 10
    return (-(weight + 10 * entry.pinned), -entry.said_ms, entry.id)


def weight(entry: Entry) -> float:
    """How much an entry matters to the views when nothing is known of its use."""
    return -_rank(entry, {})[0]


def personal(entry: Entry) -> bool:
    """True for an entry that the block of facts shows whatever its use."""
    return entry.kind == "semantic" and (entry.pinned or any(map(_personal, entry.filed_to)))


def essentials(
    entries: Sequence[Entry], *, uses: Mapping[str, float] | None = None, titles: Mapping[str, str] | None = None
) -> str:
    """The facts that matter most, grouped by page: pages and facts by their best rank, within the cap."""
    best = sorted(current(entries), key=lambda e: _rank(e, uses or {}))[:ESSENTIALS_MAX]
    groups: dict[str, list[str]] = {}
    for entry in best:
        slug = entry.filed_to[0] if entry.filed_to else ""
        title = (titles or {}).get(slug) or words(slug)
        heading = f"[[{slug}|{title}]]" if slug else "Not filed yet"
        groups.setdefault(heading, []).append(_line(readable(entry.text, slug, title)))
    return _fit(list(groups.items()), ESSENTIALS_CHARS - STAMP_CHARS)


def threads(entries: Sequence[Entry], *, now_ms: int, zone: str) -> str:
    """Open goals and plans: those with a day still ahead, in order, then the others, newest first."""
    today = day_of(now_ms, zone)
    active = [entry for entry in entries if entry.active]
    over = [(entry, content(entry.text)) for entry in active if says_done(entry) or entry.kind == "episodic"]
    ahead: list[tuple[str, int, str, str]] = []
    undated: list[tuple[int, str, str]] = []
    for entry in current(active):
        named = days(entry, zone)
        coming = [first if first > today else today for first, last in named if first == last and first >= today]
        goal = is_goal(entry)
        if says_done(entry) and not coming:
            continue
        if (named and max(last for _, last in named) < today) or not (coming or goal):
            continue
        if closed(entry, over, dated=bool(coming)):
            continue
        text = _line(readable(entry.text))
        if coming:
            ahead.append((str(min(coming)), entry.at_ms, entry.id, text))
        elif entry.kind != "episodic":
            undated.append((-entry.at_ms, entry.id, text))
    blocks = [
        ("Coming up", [text if text.startswith(day) else f"{day}: {text}" for day, _, _, text in sorted(ahead)]),
        ("Open", [text for _, _, text in sorted(undated)]),
    ]
    return _fit(blocks, THREADS_CHARS - STAMP_CHARS)


def facts(entries: Sequence[Entry], *, uses: Mapping[str, float] | None = None) -> str:
    """The core block of facts: those of personal pages and those recalled most, best first, one line each."""
    uses = uses or {}
    chosen = [
        e
        for e in current(entries)
        if e.kind == "semantic" and (e.pinned or e.id in uses or any(map(_personal, e.filed_to)))
    ]
    rows = [_line(readable(entry.text)) for entry in sorted(chosen, key=lambda e: _rank(e, uses))]
    return _fit([("", rows[: FACTS_LINES - 3])], FACTS_CHARS - STAMP_CHARS)


def _personal(slug: str) -> bool:
    return slug.split("/")[0] in ("people", "personal", "user", "me")


def build(
    entries: Sequence[Entry],
    *,
    now_ms: int,
    zone: str,
    run: str,
    uses: Mapping[str, float] | None = None,
    titles: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """All views that rules write, stamped: essentials, threads, recent and facts."""
    today = day_of(now_ms, zone)
    lasting = [entry for entry in entries if not passed(entry, zone, today)]
    bodies = {
        "essentials": essentials(lasting, uses=uses, titles=titles),
        "threads": threads(entries, now_ms=now_ms, zone=zone),
        "recent": recent(entries, now_ms, zone),
        "facts": facts(lasting, uses=uses),
    }
    return {name: stamped(body, now_ms, run) for name, body in bodies.items()}
