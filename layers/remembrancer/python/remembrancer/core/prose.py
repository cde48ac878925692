"""How a fact reads on a page: links by name, none to the page that it stands on, nothing that starts a heading."""

import re

from remembrancer.core.fences import in_fence
from remembrancer.core.links import spans
from remembrancer.core.slugs import is_slug, slugify

_SENTENCE_ENDS = (".", "!", "?", "…", "。", "\uff01", "\uff1f", '"', ")", "”", "»")
_MARK = re.compile(r"(?:#{1,6}|[-*+>]|(\d{1,9})[.)])(?=[ \t])", re.ASCII)


def spoken(slug: str) -> str:
    """What a slug is called inside a sentence: `people/ada-lind` is `Ada Lind`, `kitchen-renovation` two words."""
    name = slug.rsplit("/", 1)[-1].replace("-", " ")
    return name.title() if slug.startswith("people/") else name


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def escaped(row: str) -> str:
    """A first line that cannot be taken for a heading, a quotation or a list of its own."""
    mark = _MARK.match(row)
    at = len(mark[1] or "") if mark else 0
    return f"{row[:at]}\\{row[at:]}" if mark else row


def readable(text: str, slug: str = "", title: str = "") -> str:
    """The text as the page `slug` says it.

    A link to the page itself, or to a page above it, becomes its name. Links that stand behind a sentence, as
    tags, go into it where it names their target.
    """
    rows = text.split("\n")
    code = in_fence(rows)
    kept = [row if fenced else _row(row, slug, title) for row, fenced in zip(rows, code, strict=True)]
    return "\n".join(row for row, old in zip(kept, rows, strict=True) if row.strip() or not old.strip())


def _home(target: str, slug: str, title: str) -> bool:
    named = target if is_slug(target) else slugify(target)
    return bool(slug) and (f"{slug}/".startswith(f"{named}/") or target.casefold() == title.casefold())


def _row(row: str, slug: str, title: str) -> str:
    found = list(spans(row))
    tags: list[str] = []
    base = row.rstrip()
    while found and base.endswith("]]") and found[-1][1] == len(base):
        start, _, target = found.pop()
        tags.insert(0, target)
        base = base[:start].rstrip()
    if tags and not base.endswith(_SENTENCE_ENDS):
        tags, base, found = [], row.rstrip(), list(spans(row))
    pieces: list[str] = []
    last = 0
    for start, end, target in found:
        before = base[last:start]
        opens = not "".join([*pieces, before]).strip() or before.rstrip().endswith((".", "!", "?"))
        pieces += [before, _link(base[start:end], target, slug, title, opens=opens)]
        last = end
    said = "".join([*pieces, base[last:]])
    for target in tags:
        if not _home(target, slug, title):
            said = _tagged(said, target)
    return said


def _link(link: str, target: str, slug: str, title: str, *, opens: bool) -> str:
    alias = link[2:-2].partition("|")[2].strip()
    name = alias or (spoken(target) if is_slug(target) else target)
    if _home(target, slug, title):
        return capital(name) if opens else name
    if alias or not is_slug(target):
        return link
    shown = capital(name) if opens else name
    part = link[2:-2].partition("#")[2]
    return f"[[{target}]]" if shown == target and not part else f"[[{target}{'#' if part else ''}{part}|{shown}]]"


def _tagged(said: str, target: str) -> str:
    name = spoken(target) if is_slug(target) else target
    held = [(start, end) for start, end, _ in spans(said)]
    for word in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", said, re.IGNORECASE):
        if not any(start < word.end() and word.start() < end for start, end in held):
            link = f"[[{target}]]" if word[0] == target else f"[[{target}|{word[0]}]]"
            return f"{said[: word.start()]}{link}{said[word.end() :]}"
    return f"{said} [[{target}|{capital(name)}]]" if is_slug(target) else f"{said} [[{target}]]"
