"""A page over its size becomes a hub with child pages, links going both ways.

Only pages that rules made are split. Several sections become one child each; the bullets of a single section
become numbered parts, and a part that fills up gets a next one beside it, so that pages do not nest ever deeper.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from remembrancer.core.bullets import Blocks, blocks, body_of, heading, marker
from remembrancer.core.filing import SOURCE, writable
from remembrancer.core.links import targets
from remembrancer.core.pages import Page
from remembrancer.core.place import Target
from remembrancer.core.slugs import is_slug, slugify

MAX_CHARS = 8_000
PAGES = "Pages"
PART_OF = "Part of [["

_PART = re.compile(r"(.+)/part-(\d+)", re.ASCII)


def is_hub(page: Page) -> bool:
    """True for a page whose facts stand on its child pages."""
    return page.fields.get("kind") == "index" and page.fields.get("source") == SOURCE


def children(page: Page) -> list[str]:
    """The child pages that a hub lists, in order."""
    listed = [part for part in blocks(page.body) if heading(part) == PAGES]
    found = targets(body_of(listed))
    return [slug for slug in found if slug.startswith(f"{page.slug}/")]


def route(page: Page, target: Target) -> Target:
    """Where a fact goes that was meant for this page: for a hub the child of its section, or the last part."""
    if not is_hub(page):
        return target
    listed = children(page)
    parts = [slug for slug in listed if _PART.fullmatch(slug)]
    slug = parts[-1] if parts else f"{page.slug}/{slugify(target.section)}"
    name = _PART.sub(r"part \2", slug) if parts else target.section
    return replace(target, slug=slug, title=f"{page.title}: {name}")


def listing(hub: Page, slugs: Sequence[tuple[str, str]]) -> Page:
    """The hub with these (slug, shown name) in its list, each once; what is listed already keeps its place."""
    parts = blocks(hub.body)
    known = children(hub)
    rows = [f"- [[{slug}|{name}]]\n" for slug, name in slugs if slug not in known]
    if not rows:
        return hub
    at = next((i for i, part in enumerate(parts) if heading(part) == PAGES), None)
    if at is None:
        if parts[-1] and parts[-1][-1].strip():
            parts[-1].append("\n")
        parts.append([f"## {PAGES}\n", "\n", *rows])
    else:
        end = len(parts[at])
        while not parts[at][end - 1].strip():
            end -= 1
        parts[at][end:end] = rows
    return replace(hub, body=body_of(parts))


def split(page: Page, *, max_chars: int = MAX_CHARS, hub: Page | None = None) -> list[Page]:
    """`[page]` while it fits, else the hub and the pages that take its facts.

    For a numbered part the `hub` that lists it is needed: the rest goes to a next part there.
    """
    ours = page.fields.get("source") == SOURCE and not is_hub(page) and writable(page)
    if len(page.body) <= max_chars or not ours:
        return [page]
    parts = blocks(page.body)[1:]
    full = [part for part in parts if any(line.strip() for line in part[1:])]
    number = _PART.fullmatch(page.slug)
    if number:
        if hub is None or len(full) != 1:
            return [page]
        pieces = _pieces(full[0], max_chars)
        free = 1 + max(int(found[2]) for slug in (page.slug, *children(hub)) if (found := _PART.fullmatch(slug)))
        numbers = [int(number[2]), *range(free, free + len(pieces))]
        made = [_part(page, hub, piece, n) for piece, n in zip(pieces, numbers, strict=False)]
        return [listing(hub, _named(made)), *made] if len(made) > 1 else [page]
    if len(full) > 1:
        made = [_child(page, part) for part in full]
    else:
        made = [
            _part(page, page, piece, 1 + n) for n, piece in enumerate(_pieces(full[0], max_chars) if full else [])
        ]
    if len(made) < 2 or not all(is_slug(child.slug) for child in made) or len({c.slug for c in made}) < len(made):
        return [page]
    up = [line for line in blocks(page.body)[0] if line.startswith(PART_OF)]
    about = f"What is known about {page.title} stands on the pages below.\n"
    top = replace(page, fields={**page.fields, "kind": "index"}, body="\n".join([*up, about]))
    return [listing(top, _named(made)), *(small for child in made for small in split(child, max_chars=max_chars))]


def _named(pages: Sequence[Page]) -> list[tuple[str, str]]:
    return [(page.slug, page.title) for page in pages]


def _up(hub: Page) -> Blocks:
    return [[f"{PART_OF}{hub.slug}|{hub.title}]].\n", "\n"]]


def _child(page: Page, part: list[str]) -> Page:
    name = heading(part)
    fields = {**page.fields, "title": f"{page.title}: {name}"}
    return Page(f"{page.slug}/{slugify(name)}", body_of([*_up(page), part]), fields, dict(page.extra))


def _part(page: Page, hub: Page, rows: list[str], number: int) -> Page:
    fields = {**page.fields, "title": f"{hub.title}: part {number}"}
    return Page(f"{hub.slug}/part-{number}", body_of([*_up(hub), rows]), fields, dict(page.extra))


def _pieces(part: list[str], max_chars: int) -> list[list[str]]:
    """The section in pieces that fit, each under its heading, cut before top-level bullets."""
    opening = [part[0], "\n"]
    pieces: list[list[str]] = [list(opening)]
    start = next((i for i in range(1, len(part)) if part[i].strip()), len(part))
    bullet: list[str] = []
    for line in [*part[start:], ""]:
        top = bool(marker(line)) and not line[0].isspace()
        if bullet and (top or not line):
            used = sum(map(len, pieces[-1]))
            if used + sum(map(len, bullet)) > max_chars - 200 and len(pieces[-1]) > len(opening):
                pieces.append(list(opening))
            pieces[-1] += bullet
            bullet = []
        bullet.append(line)
    return pieces
