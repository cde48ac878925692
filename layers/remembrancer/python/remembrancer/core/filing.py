"""Facts into a page and out of it again, line by line, so that what people wrote keeps its bytes.

The lead of a page that rules made (`source: consolidation`) is one paragraph of its three most important facts,
once it has more than three. It is rewritten only while it says exactly what the bullets say that it cites: one
changed letter makes it a person's for good.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from remembrancer.core.bullets import Blocks, blocks, body_of, bullet, heading, plain, refs, scope, without
from remembrancer.core.entries import KINDS, Entry
from remembrancer.core.pages import Page
from remembrancer.core.place import SECTIONS, Target
from remembrancer.core.rows import date_rivals, insert, outdated
from remembrancer.errors import Invalid

SOURCE = "consolidation"
LEAD_FACTS = 3
LEAD_CHARS = 240
NEUTRAL = 0.5
_TAGS = re.compile(r"([.!?\u2026])(?: \[\[[^\[\]]*\]\])+$")
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
    known: Mapping[str, Entry] | None = None,
) -> Page:
    """The page with these facts on it, each once; a new page when there is none.

    `known` are entries that stand on the page already: they order the timeline, help to choose the facts of the
    lead, and say what contradicts what. Raises `Invalid` for a page that is not `writable`.
    """
    if page is not None and not writable(page):
        raise Invalid("the page cannot be read whole and is not rewritten", field="slug")
    page = page or _new(target, entries)
    parts = blocks(page.body)
    owned = _owned(page, parts)
    known = {**(known or {}), **{entry.id: entry for entry in entries}}
    for entry in sorted(entries, key=lambda e: (e.at_ms, e.id)):
        found = _cited(parts if owned is None else parts[1:], entry.id)
        if found is None:
            insert(_section(parts, SECTIONS[entry.kind]), bullet(entry, page.slug, page.title), entry, known)
        elif entry.edited:
            part, start, end = found
            part[start:end] = bullet(entry, page.slug, page.title)
    return _renew(page, parts, owned, known)


def unfile(
    page: Page, gone: Collection[str], *, known: Mapping[str, Entry] | None = None, whole: bool = False
) -> Page:
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
    return _renew(page, kept, None if owned is None else [id for id in owned if id not in gone], known or {})


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


def _cited(parts: Blocks, id: str) -> tuple[list[str], int, int] | None:
    for part in reversed(parts):
        for at, line in enumerate(part):
            if id in refs(line):
                return part, *scope(part, at)
    return None


def _facts(page: Page, parts: Blocks) -> dict[str, str]:
    """Entry id to what its bullet under Facts says, if that is prose: what a lead may be made of.

    Empty when there are so few that a lead would only repeat them, and on the pages of a month, which have no
    subject.
    """
    texts: dict[str, str] = {}
    for part in parts[1:]:
        if heading(part) == SECTIONS["semantic"]:
            for at, line in enumerate(part):
                for id in refs(line):
                    texts.setdefault(id, plain(part[scope(part, at)[0]]))
    if len(texts) <= LEAD_FACTS or page.slug.startswith("notes/"):
        return {}
    return {id: text for id, text in texts.items() if text and text[0] not in _MARKS and text[-1] != ":"}


def _sentence(text: str) -> str:
    text = _TAGS.sub(r"\1", text)
    if len(text) > LEAD_CHARS:
        text = text[: LEAD_CHARS - 1].rsplit(" ", 1)[0]
        whole_links = text.rfind("[[") <= text.rfind("]]")
        text = (text if whole_links else text[: text.rfind("[[")]).rstrip(" ,;:") + "…"
    return text if text.endswith(_ENDS) else f"{text}."


def _lead(ids: Sequence[str], facts: Mapping[str, str]) -> list[str]:
    cited = [id for id in ids if facts.get(id)]
    text = " ".join(_sentence(facts[id]) for id in cited)
    return [f"{text}{''.join(f' ^{id}' for id in cited)}\n", "\n"] if cited else []


def _owned(page: Page, parts: Blocks) -> list[str] | None:
    """The ids that a lead of ours cites; None when the lead is a person's, who may have taken it away."""
    if page.fields.get("source") != SOURCE:
        return None
    lead, facts = [line for line in parts[0] if line.strip()], _facts(page, parts)
    ids = refs(lead[-1]) if lead else []
    ours = lead == _lead(ids, facts)[:1] and bool(ids) == bool(facts)
    return ids if ours else None


def _renew(page: Page, parts: Blocks, owned: Sequence[str] | None, known: Mapping[str, Entry]) -> Page:
    """The page with these lines, what contradicts dated, and its lead written anew when it is ours."""
    date_rivals(parts, known, page.slug, page.title)
    if owned is not None:
        facts = _facts(page, parts)
        old = {id for id in facts if id in known and outdated(known[id], known, facts)}
        places = {id: at for at, id in enumerate(dict.fromkeys([*owned, *facts]))}
        ranked = sorted(facts, key=lambda id: (id in old, *_weight(known.get(id)), places[id]))
        parts = [_lead(ranked[:LEAD_FACTS], facts), *parts[1:]]
    return replace(page, body=body_of(parts))


def _weight(entry: Entry | None) -> tuple[bool, float]:
    if entry is None:
        return True, -NEUTRAL
    return not entry.pinned, -(NEUTRAL if entry.importance is None else entry.importance)
