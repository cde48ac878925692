"""Facts into a page and out of it again, line by line, so that what people wrote keeps its bytes.

The lead of a page that rules made (`source: consolidation`) is one paragraph of three facts. It is rewritten only
while it says exactly what the bullets say that it cites: one changed letter makes it a person's for good.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from remembrancer.core.bullets import (
    Blocks,
    blocks,
    body_of,
    bullet,
    day_at,
    heading,
    marker,
    plain,
    refs,
    scope,
    without,
)
from remembrancer.core.entries import KINDS, Entry
from remembrancer.core.pages import Page
from remembrancer.core.place import SECTIONS, Target
from remembrancer.core.sections import in_fence
from remembrancer.errors import Invalid

SOURCE = "consolidation"
LEAD_FACTS = 3
LEAD_CHARS = 240
NEUTRAL = 0.5
_MARKS = "#>|~-*+`"
_ENDS = (".", "!", "?", ":", "\u2026", "\u3002", "\uff01", "\uff1f")


def writable(page: Page) -> bool:
    """False for a page that could not be read whole: writing it would lose what was ignored."""
    return not page.problems and not page.invisible


def file_into(
    page: Page | None,
    target: Target,
    entries: Sequence[Entry],
    *,
    importance: Mapping[str, float] | None = None,
) -> Page:
    """The page with these facts on it, each once; a new page when there is none.

    `importance` of entries that stand on the page already helps to choose the facts of the lead. Raises `Invalid`
    for a page that is not `writable`.
    """
    if page is not None and not writable(page):
        raise Invalid("the page cannot be read whole and is not rewritten", field="slug")
    parts = blocks(page.body if page else "")
    owned = _owned(page, parts)
    for entry in sorted(entries, key=lambda e: (e.at_ms, e.id)):
        found = _cited(parts if owned is None else parts[1:], entry.id)
        if found is None:
            _insert(_section(parts, SECTIONS[entry.kind]), bullet(entry), dated=entry.kind == "episodic")
        elif entry.edited:
            part, start, end = found
            part[start:end] = bullet(entry)
    weights = {**(importance or {}), **{e.id: e.importance for e in entries if e.importance is not None}}
    return _renew(page or _new(target, entries), parts, owned, weights)


def unfile(page: Page, gone: Collection[str], *, whole: bool = False) -> Page:
    """The page without what it says for these entries; sections of facts that end up empty go with them.

    A bullet that also cites other entries keeps its text; with `whole` (forgetting) it goes, too.
    """
    before = blocks(page.body)
    owned = _owned(page, before)
    after = [without(part, gone, whole=whole) for part in before]
    if after == before or not writable(page):
        return page
    if owned is not None:
        after[0] = before[0]
    kept: Blocks = [after[0]]
    for old, left in zip(before[1:], after[1:], strict=True):
        emptied = left != old and not any(line.strip() for line in left[1:])
        if not (emptied and heading(old) in SECTIONS.values()):
            kept.append(left)
    while kept[-1] and not kept[-1][-1].strip():
        kept[-1].pop()
    return _renew(page, kept, None if owned is None else [id for id in owned if id not in gone], {})


def _new(target: Target, entries: Sequence[Entry]) -> Page:
    fields: dict[str, Any] = {"title": target.title, "source": SOURCE}
    folder = target.slug.split("/")
    if folder[0] == "notes" and folder[1:2] and folder[1] in KINDS:
        fields["kind"] = folder[1]
    if tags := sorted({tag for entry in entries for tag in entry.tags}):
        fields["tags"] = tags
    return Page(slug=target.slug, body="", fields=fields)


def _section(parts: Blocks, name: str) -> list[str]:
    """The section's lines; a missing one is made in its place among the sections of facts."""
    for part in parts[1:]:
        if heading(part).casefold() == name.casefold():
            return part
    order = list(SECTIONS.values())
    later = order[order.index(name) + 1 :]
    place = next((i for i, part in enumerate(parts) if heading(part) in later), len(parts))
    if parts[place - 1] and parts[place - 1][-1].strip():
        parts[place - 1].append("\n")
    parts.insert(place, [f"## {name}\n", "\n", *(["\n"] if place < len(parts) else [])])
    return parts[place]


def _insert(part: list[str], rows: list[str], *, dated: bool) -> None:
    """Put a bullet at the end of the section's list, or where its day belongs; sub-headings stay behind it."""
    code = in_fence([line.rstrip("\n") for line in part])
    at = next((i for i in range(1, len(part)) if part[i].startswith("###") and not code[i]), len(part))
    while at > 1 and not part[at - 1].strip():
        at -= 1
    tops = [i for i in range(1, at) if marker(part[i]) and not part[i][0].isspace() and not code[i]]
    if tops and marker(part[tops[-1]]) in ("*", "+"):
        rows = [marker(part[tops[-1]]) + rows[0][1:], *rows[1:]]
    listed = bool(tops) and scope(part, tops[-1])[1] == at
    if dated:
        mine = day_at(rows[0]), refs(rows[0])
        later = [i for i in tops if day_at(part[i]) and (day_at(part[i]), refs(part[i])) > mine]
        if later:
            at, listed = later[0], True
    if at == 1 and part[1:2] == ["\n"]:
        at = 2
    elif not listed and part[at - 1].strip():
        rows = ["\n", *rows]
    if at < len(part) and part[at].strip() and not marker(part[at]):
        rows = [*rows, "\n"]
    part[at:at] = rows


def _cited(parts: Blocks, id: str) -> tuple[list[str], int, int] | None:
    for part in reversed(parts):
        for at, line in enumerate(part):
            if id in refs(line):
                return part, *scope(part, at)
    return None


def _facts(parts: Blocks) -> dict[str, str]:
    """Entry id to the first line of its bullet, if that is prose: those under Facts, else all."""
    found: dict[str, dict[str, str]] = {}
    for part in parts[1:]:
        texts = found.setdefault(heading(part), {})
        for at, line in enumerate(part):
            for id in refs(line):
                texts.setdefault(id, plain(part[scope(part, at)[0]]))
        texts = {id: text for id, text in texts.items() if text and text[0] not in _MARKS and text[-1] != ":"}
        found[heading(part)] = texts
    return found.get(SECTIONS["semantic"]) or {id: text for texts in found.values() for id, text in texts.items()}


def _sentence(text: str) -> str:
    if len(text) > LEAD_CHARS:
        text = text[: LEAD_CHARS - 1].rsplit(" ", 1)[0]
        whole_links = text.rfind("[[") <= text.rfind("]]")
        text = (text if whole_links else text[: text.rfind("[[")]).rstrip(" ,;:") + "…"
    return text if text.endswith(_ENDS) else f"{text}."


def _lead(ids: Sequence[str], facts: Mapping[str, str]) -> list[str]:
    cited = [id for id in ids if facts.get(id)]
    text = " ".join(_sentence(facts[id]) for id in cited)
    return [f"{text}{''.join(f' ^{id}' for id in cited)}\n", "\n"] if cited else []


def _owned(page: Page | None, parts: Blocks) -> list[str] | None:
    """The ids that a lead of ours cites; None when the lead is a person's, who may have taken it away."""
    if page is None:
        return []
    lead, facts = [line for line in parts[0] if line.strip()], _facts(parts)
    ids = refs(lead[-1]) if lead else []
    ours = page.fields.get("source") == SOURCE and lead == _lead(ids, facts)[:1] and bool(ids) == bool(facts)
    return ids if ours else None


def _renew(page: Page, parts: Blocks, owned: Sequence[str] | None, weights: Mapping[str, float]) -> Page:
    """The page with these lines, its lead written anew when it is ours."""
    if owned is not None:
        facts = _facts(parts)
        places = {id: at for at, id in enumerate([*owned, *(id for id in facts if id not in owned)])}
        ranked = sorted(facts, key=lambda id: (-weights.get(id, NEUTRAL), places[id]))
        parts = [_lead(ranked[:LEAD_FACTS], facts), *parts[1:]]
    return replace(page, body=body_of(parts))
