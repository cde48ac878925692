"""A page: markdown with YAML frontmatter, read leniently and written without churn."""

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any

from remembrancer.core import frontmatter
from remembrancer.core.catalogue import PageHead, SectionHead
from remembrancer.core.dates import fresh_ms
from remembrancer.core.links import references
from remembrancer.core.sections import Section, sections
from remembrancer.errors import Invalid, TooLarge

MAX_BYTES = 1_000_000
MAX_SUMMARY = 200
MAX_SECTIONS = 1_000
"""Sections and links of a page that the catalogue knows; its line must fit one item of the table."""

_LINE_ENDS = "\r\n"
_EMPTY_BLOCK = "---\n\n---\n"
_SENTENCE = re.compile(r"[.!?]+[\"')\]*_]*(?= |$)|[\u3002\uff01\uff1f]")
_MARK = re.compile(r"(?:[-*+>]|\d{1,9}[.)]) +")


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page. `fields` are the known frontmatter keys that could be read, `extra` the other ones.

    `problems` names what was ignored; `invisible` is the reason when nothing could be read at all. The body has
    one final newline, or is empty.
    """

    slug: str
    body: str
    fields: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    invisible: str = ""
    front: str = field(default="", compare=False)
    """The frontmatter as it stands in the file: kept as it is while its fields are."""

    @property
    def title(self) -> str:
        """The title, else the last segment of the slug in words."""
        return str(self.fields.get("title") or self.slug.rsplit("/", 1)[-1].replace("-", " ").capitalize())


def parse(slug: str, raw: str | bytes, *, strict: bool = False) -> Page:
    """Read a page. Whatever can be read is; `strict` raises `Invalid` or `TooLarge` instead, naming the fault.

    Frontmatter that cannot be read stays part of the body, so that no byte of it is lost.
    """
    data = raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogatepass")
    page = _read(slug, data)
    if strict and len(data) > MAX_BYTES:
        raise TooLarge(page.invisible, field="content")
    if strict and (page.invisible or page.problems):
        raise Invalid(page.invisible or page.problems[0], field="content")
    return page


def _read(slug: str, data: bytes) -> Page:
    if len(data) > MAX_BYTES:
        return Page(slug, "", invisible=f"a page holds at most {MAX_BYTES} bytes")
    problems: list[str] = []
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if b"\0" in data:
            return Page(slug, "", invisible="not a text in UTF-8")
        problems.append(f"line {data.count(10, 0, error.start) + 1}: bytes that are not UTF-8 were replaced")
        text = data.decode("utf-8", "replace")
    text = text.lstrip("\ufeff")
    block, body = frontmatter.split(text)
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    front = ""
    if block is not None:
        try:
            fields, extra, ignored = frontmatter.load(block)
            problems += ignored
            front = text[: len(text) - len(body)]
            body = body.lstrip(_LINE_ENDS)
        except Invalid as error:
            problems.append(error.message)
            body = text
    elif frontmatter.opens(text):
        problems.append("frontmatter is not closed")
    return Page(slug, _one_end(body), fields, extra, tuple(problems), front=front)


def _one_end(body: str) -> str:
    kept = body.rstrip(_LINE_ENDS)
    return kept + ("\r\n" if body[len(kept) :].startswith("\r\n") else "\n") if kept else ""


def render(page: Page) -> str:
    """The page as a file: frontmatter when there is any, then the body with one final newline.

    Reading it again gives the same page. Raises `Invalid` for a page that could not be read whole: something of it
    would be lost.
    """
    if page.invisible or not all(problem.startswith(frontmatter.IGNORED) for problem in page.problems):
        raise Invalid(
            "the stored page cannot be read whole and is not rewritten: send it as markdown", field="body"
        )
    body = _one_end(page.body)
    if page.front and frontmatter.load(frontmatter.split(page.front)[0] or "")[:2] == (page.fields, page.extra):
        gap = "\n" if body else ""
        return f"{page.front}{gap}{body.lstrip(_LINE_ENDS)}"
    block = frontmatter.dump(page.fields, page.extra)
    if block:
        gap = "\n" if body else ""
        return f"---\n{block}---\n{gap}{body.lstrip(_LINE_ENDS)}"
    # a body that looks like frontmatter, or begins with a byte order mark, needs a block in front to stay a body
    return body if _read(page.slug, body.encode("utf-8", "surrogatepass")).body == body else _EMPTY_BLOCK + body


def describe(page: Page, raw: bytes, *, rev: int, modified_ms: int, previous: PageHead | None) -> PageHead:
    """The catalogue's line for a page; importance, in-degree and neighbours are those of `previous`."""
    parts = sections(page.body)
    fields = page.fields
    edges = [edge["to"] if isinstance(edge, dict) else edge for edge in fields.get("edges", [])]
    linked = dict.fromkeys(target for target, _ in references(fields.get("links", []), page.body, edges))
    origin = str(fields.get("origin_date", ""))
    return PageHead(
        slug=page.slug,
        rev=rev,
        sha256=hashlib.sha256(raw).hexdigest(),
        title=page.title,
        summary=_summary(str(fields.get("summary", "")), parts),
        kind=str(fields.get("kind", "")),
        status=str(fields.get("status", "")),
        source=str(fields.get("source", "")),
        origin_date=origin,
        fresh_ms=fresh_ms(origin, modified_ms),
        modified_ms=modified_ms,
        chars=len(page.body),
        units=sum(len(part.passages) for part in parts),
        sections=tuple(map(_section_head, parts[:MAX_SECTIONS])),
        links=tuple(slug for slug in linked if slug != page.slug)[:MAX_SECTIONS],
        tags=tuple(fields.get("tags", [])),
        importance=previous.importance if previous else None,
        in_degree=previous.in_degree if previous else 0,
        neighbours=previous.neighbours if previous else (),
        near_rev=previous.near_rev if previous else 0,
        stale_after=str(page.extra.get("stale_after", ""))[:32],
        parse_error=page.invisible or "; ".join(page.problems),
        indexed_rev=previous.indexed_rev if previous else 0,
    )


def _section_head(part: Section) -> SectionHead:
    digest = hashlib.sha256(part.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return SectionHead(part.key, part.ordinal, len(part.passages), len(part.text), digest)


def _summary(given: str, parts: tuple[Section, ...]) -> str:
    """The summary of the frontmatter, else the first sentence of the lead: one line of at most 200 characters."""
    text = " ".join(given.split())
    if not text:
        prose = (p.text for p in parts[0].passages if not p.text.lstrip().startswith(("#", "```", "~~~", "|")))
        text = _MARK.sub("", " ".join(next(prose, "").split()), count=1)
        end = _SENTENCE.search(text)
        text = text[: end.end()] if end else text
    return text if len(text) <= MAX_SUMMARY else text[: MAX_SUMMARY - 1].rstrip() + "…"
