"""Read, list and write single pages."""

from dataclasses import replace
from typing import Any

from remembrancer.core.catalogue import PageHead, tier
from remembrancer.core.page_view import line
from remembrancer.core.pages import MAX_BYTES, MAX_SECTIONS, Page, parse, render
from remembrancer.core.sections import sections
from remembrancer.core.slugs import RESERVED, check_slug
from remembrancer.errors import Disabled, Invalid, NotFound, PreconditionFailed, TooLarge
from remembrancer.parts.heads import recent_head
from remembrancer.parts.indexing import forgotten_in, index_now
from remembrancer.parts.pagewrite import page_name, write_page
from remembrancer.ports import Ports


def list_pages(ports: Ports, space: str, *, limit: int = 100, cursor: str = "") -> dict[str, Any]:
    """Live pages by slug and the cursor of the next page."""
    heads, following = ports.catalogue.page(space, limit=limit, cursor=cursor)
    return {"items": [line(head) for head in heads], "cursor": following or None}


def get_page(ports: Ports, space: str, slug: str) -> tuple[PageHead, Page, bytes]:
    """Head, parsed page and raw bytes. Raises `NotFound`."""
    head = ports.catalogue.head(space, check_slug(slug))
    if head is None or head.deleted:
        raise NotFound("no such page")
    stored = ports.pages.read(space, page_name(slug), version=head.version)
    if stored is None:
        raise NotFound("no such page")
    return head, parse(slug, stored.body), stored.body


def put_page(
    ports: Ports,
    space: str,
    slug: str,
    *,
    markdown: str | None,
    fields: dict[str, Any],
    body: str | None,
    if_match: str = "",
    if_none_match: str = "",
) -> tuple[PageHead, bool]:
    """Create or replace a page, as raw markdown or as body and fields; the head, and whether it is new.

    Raises `PreconditionFailed` when If-Match or If-None-Match do not hold.
    """
    if check_slug(slug).split("/")[0] in RESERVED:
        raise Invalid("the first segment is reserved", field="slug")
    if tier(recent_head(ports, space)) == "off":
        raise Disabled("Memory is disabled.")
    if (markdown is None) == (body is None):
        raise Invalid("send either markdown or body", field="markdown")
    head = ports.catalogue.head(space, slug)
    live = head if head is not None and not head.deleted else None
    if if_none_match == "*" and live is not None:
        raise PreconditionFailed("the page exists")
    if if_match and (live is None or (if_match != "*" and if_match != live.etag)):
        raise PreconditionFailed("the page is not the one that If-Match names")
    raw = _raw(ports, space, slug, markdown, fields, body, live)
    if len(raw) > MAX_BYTES:
        raise TooLarge(f"a page holds at most {MAX_BYTES} bytes", field="markdown")
    page = parse(slug, raw, strict=True)
    if len(sections(page.body)) > MAX_SECTIONS:
        raise TooLarge(f"a page holds at most {MAX_SECTIONS} sections", field="markdown")
    if forgotten_in(ports, space, [page]):
        raise Invalid("holds a passage that was forgotten", field="markdown")
    new = write_page(ports, space, slug, raw, head=head)
    done = index_now(ports, space, page, new, before=head.units if head else 0, forgotten=frozenset())
    return replace(new, indexed_rev=new.rev if done else new.indexed_rev), live is None


def _raw(
    ports: Ports,
    space: str,
    slug: str,
    markdown: str | None,
    fields: dict[str, Any],
    body: str | None,
    live: PageHead | None,
) -> bytes:
    """The bytes to store. With a body, frontmatter keys that the caller does not name stay as they are."""
    if markdown is not None:
        return markdown.encode()
    old = (
        parse(slug, stored.body)
        if live and (stored := ports.pages.read(space, page_name(slug)))
        else Page(slug, "")
    )
    return render(replace(old, body=body or "", fields={**old.fields, **fields})).encode()
