"""Facts into a page and out of it again, line by line, so that what people wrote keeps its bytes.

The lead of a page that rules made (`source: consolidation`) is one paragraph of three facts. It is rewritten only
while it says exactly what the bullets say that it cites: one changed letter makes it a person's for good.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from remembrancer.core.bullets import bullet, day, fenced, is_item, plain, refs, scope, without
from remembrancer.core.entries import Entry
from remembrancer.core.pages import Page
from remembrancer.core.place import SECTIONS, Target

SOURCE = "consolidation"
LEAD_FACTS = 3
LEAD_CHARS = 240
NEUTRAL = 0.5

Blocks = list[list[str]]
"""The lines of a body: the lead, then one list for each `## ` heading with its section."""


def _blocks(body: str) -> Blocks:
    lines = [f"{line}\n" for line in body.rstrip("\n").split("\n")] if body.strip() else []
    code = fenced(lines)
    found: Blocks = [[]]
    for line, inside in zip(lines, code, strict=True):
        if line.startswith("## ") and not inside:
            found.append([])
        found[-1].append(line)
    return found


def _body(parts: Blocks) -> str:
    return "".join(line for part in parts for line in part)


def _heading(part: Sequence[str]) -> str:
    return part[0][3:].strip() if part and part[0].startswith("## ") else ""


def _section(parts: Blocks, heading: str) -> list[str]:
    """The section's lines, made in its place among the sections of facts when it is missing."""
    for part in parts[1:]:
        if _heading(part).casefold() == heading.casefold():
            return part
    order = list(SECTIONS.values())
    later = order[order.index(heading) + 1 :] if heading in order else []
    place = next((i for i, part in enumerate(parts) if i and _heading(part) in later), len(parts))
    before = parts[place - 1]
    if before and before[-1].strip():
        before.append("\n")
    part = [f"## {heading}\n", "\n"]
    if place < len(parts):
        part.append("\n")
    parts.insert(place, part)
    return part


def _insert(part: list[str], rows: list[str], dated: bool) -> None:
    """Put a bullet at the end of the section's list, or where its day belongs."""
    at = len(part)
    while at > 1 and not part[at - 1].strip():
        at -= 1
    if dated:
        mine = (day(rows[0]), refs(rows[0]))
        tops = [i for i in range(1, at) if is_item(part[i]) and not part[i][0].isspace() and day(part[i])]
        later = [i for i in tops if (day(part[i]), refs(part[i])) > mine]
        if later:
            at = later[0]
    if at == len(part) and part[at - 1].startswith("## "):
        rows = ["\n", *rows]
    elif at == 1:
        at = min(2, len(part))
    elif not dated and not is_item(part[scope(part, at - 1)[0]]):
        rows = ["\n", *rows]
    part[at:at] = rows


def _facts(parts: Blocks) -> dict[str, str]:
    """Entry id to the first line of its bullet, in page order."""
    found: dict[str, str] = {}
    for part in parts[1:]:
        for at, line in enumerate(part):
            for id in refs(line):
                start, end = scope(part, at)
                found.setdefault(id, plain(part[start:end]))
    return found


def _sentence(text: str) -> str:
    if len(text) > LEAD_CHARS:
        text = text[: LEAD_CHARS - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
    return text if text[-1:] in ".!?…。！？" else f"{text}."


def _lead(ids: Sequence[str], facts: Mapping[str, str]) -> list[str]:
    cited = [id for id in ids if facts.get(id)]
    text = " ".join(_sentence(facts[id]) for id in cited)
    return [f"{text}{''.join(f' ^{id}' for id in cited)}\n", "\n"] if cited else []


def _owned(page: Page | None, parts: Blocks) -> list[str] | None:
    """The ids that a lead of ours cites; None when the lead is a person's."""
    if page is None:
        return []
    if page.fields.get("source") != SOURCE:
        return None
    lead = [line for line in parts[0] if line.strip()]
    ids = refs(lead[-1]) if lead else []
    return ids if lead == _lead(ids, _facts(parts))[:1] else None


def _renew(page: Page, parts: Blocks, owned: Sequence[str] | None, weights: Mapping[str, float]) -> Page:
    """Write the lead anew when it is ours, and the summary with it."""
    fields = dict(page.fields)
    if owned is not None:
        facts = _facts(parts)
        places = {id: at for at, id in enumerate(facts)}
        in_lead = {id: at for at, id in enumerate(owned)}
        ranked = sorted(
            facts, key=lambda id: (-weights.get(id, NEUTRAL), in_lead.get(id, LEAD_FACTS), places[id])
        )
        lead = _lead(ranked[:LEAD_FACTS], facts)
        parts[0] = lead
        if ranked:
            fields["summary"] = _sentence(facts[ranked[0]])
        else:
            fields.pop("summary", None)
    return replace(page, body=_body(parts), fields=fields)


def file_into(
    page: Page | None,
    target: Target,
    entries: Sequence[Entry],
    *,
    importance: Mapping[str, float] | None = None,
) -> Page:
    """The page with these facts on it, each once; a new page when there is none.

    `importance` of entries that the page cites already decides with that of `entries` which three make the lead.
    """
    parts = _blocks(page.body if page else "")
    owned = _owned(page, parts)
    for entry in sorted(entries, key=lambda e: (e.at_ms, e.id)):
        rows = bullet(entry)
        place = _cited(parts, entry.id)
        if place is None:
            section = target.section if SECTIONS[entry.kind] == target.section else SECTIONS[entry.kind]
            _insert(_section(parts, section), rows, dated=entry.kind == "episodic")
        elif entry.edited:
            part, start, end = place
            part[start:end] = rows
    weights = dict(importance or {})
    weights.update({e.id: e.importance for e in entries if e.importance is not None})
    return _renew(page or _new(target, entries), parts, owned, weights)


def _cited(parts: Blocks, id: str) -> tuple[list[str], int, int] | None:
    for part in parts[1:]:
        for at, line in enumerate(part):
            if id in refs(line):
                return part, *scope(part, at)
    return None


def _new(target: Target, entries: Sequence[Entry]) -> Page:
    tags = sorted({tag for entry in entries for tag in entry.tags})
    fields: dict[str, object] = {"title": target.title}
    if tags:
        fields["tags"] = tags
    fields["source"] = SOURCE
    return Page(slug=target.slug, body="", fields=fields)


def unfile(page: Page, gone: Collection[str], *, whole: bool = False) -> Page:
    """The page without what it says for these entries; sections of facts that end up empty go with them.

    A bullet that also cites other entries keeps its text; with `whole` (forgetting) it goes, too.
    """
    parts = _blocks(page.body)
    owned = _owned(page, parts)
    if owned is None:
        parts[0] = without(parts[0], gone, whole=whole)
    kept: Blocks = [parts[0]]
    touched = False
    for part in parts[1:]:
        left = without(part, gone, whole=whole)
        touched = touched or left != part
        empty = left != part and not any(line.strip() for line in left[1:])
        if not (empty and _heading(part) in SECTIONS.values()):
            kept.append(left)
    if not touched and kept[0] == _blocks(page.body)[0]:
        return page
    while kept and kept[-1] and not kept[-1][-1].strip():
        kept[-1].pop()
    return _renew(page, kept, None if owned is None else [id for id in owned if id not in gone], {})
