"""A page: markdown with YAML frontmatter, read leniently and written without churn."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

from remembrancer.core import frontmatter
from remembrancer.core.catalogue import PageHead, SectionHead
from remembrancer.core.dates import fresh_ms
from remembrancer.core.links import references
from remembrancer.core.sections import Section, sections
from remembrancer.errors import Invalid

MAX_SUMMARY = 200


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page. `fields` are the known frontmatter keys that could be read, `extra` the unknown ones.

    `problems` names what was ignored; `invisible` is the reason when nothing could be read at all.
    """

    slug: str
    body: str
    fields: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    invisible: str = ""

    @property
    def title(self) -> str:
        """The title, else the last segment of the slug in words."""
        return str(self.fields.get("title") or self.slug.rsplit("/", 1)[-1].replace("-", " ").capitalize())


def parse(slug: str, raw: str | bytes, *, strict: bool = False) -> Page:
    """Read a page. Whatever can be read is; `strict` raises `Invalid` instead, naming the first fault."""
    problems: list[str] = []
    try:
        text = raw if isinstance(raw, str) else raw.decode()
    except UnicodeDecodeError:
        problems.append("bytes that are not UTF-8 were replaced")
        text = bytes(raw).decode("utf-8", "replace") if isinstance(raw, bytes) else ""
    block, body, unclosed = frontmatter.split(text)
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    if unclosed:
        problems.append("frontmatter is not closed")
    if block is not None:
        try:
            fields, extra, ignored = frontmatter.sort(frontmatter.load(block))
            problems += [f"fields ignored: {line}" for line in ignored]
        except Invalid as error:
            problems.append(error.message)
            body = text
    if strict and problems:
        raise Invalid(problems[0], field="content")
    return Page(slug, body, fields, extra, tuple(problems))


def render(page: Page) -> str:
    """The page as a file: frontmatter when there is any, then the body with one final newline."""
    block = frontmatter.dump(page.fields, page.extra)
    body = page.body.strip("\n")
    gap = "\n" if block and body else ""
    return f"{block}{gap}{body}\n" if body else block


def describe(page: Page, raw: bytes, *, rev: int, modified_ms: int, previous: PageHead | None) -> PageHead:
    """The catalogue's line for a page; what is learned elsewhere (importance, neighbours) comes from `previous`."""
    parts = sections(page.body)
    fields = page.fields
    edges = [str(e.get("to", "")) if isinstance(e, dict) else e for e in fields.get("edges", [])]
    linked = dict.fromkeys(target for target, _ in references(fields.get("links", []), page.body, edges))
    origin = str(fields.get("origin_date", ""))
    return PageHead(
        slug=page.slug,
        rev=rev,
        sha256=hashlib.sha256(raw).hexdigest(),
        title=page.title,
        summary=_summary(fields, parts),
        kind=str(fields.get("kind", "")),
        status=str(fields.get("status", "")),
        source=str(fields.get("source", "")),
        origin_date=origin,
        fresh_ms=fresh_ms(origin, modified_ms),
        modified_ms=modified_ms,
        chars=len(page.body),
        units=sum(len(part.passages) for part in parts),
        sections=tuple(
            SectionHead(
                p.key, p.ordinal, len(p.passages), len(p.text), hashlib.sha256(p.text.encode()).hexdigest()[:16]
            )
            for p in parts
        ),
        links=tuple(slug for slug in linked if slug != page.slug),
        tags=tuple(fields.get("tags", [])),
        importance=previous.importance if previous else None,
        neighbours=previous.neighbours if previous else (),
        parse_error=page.problems[0] if page.problems else "",
        indexed_rev=previous.indexed_rev if previous else 0,
    )


def _section_head(part: Section) -> SectionHead:
    digest = hashlib.sha256(part.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return SectionHead(part.key, part.ordinal, len(part.passages), len(part.text), digest)


def _summary(fields: dict[str, Any], parts: tuple[Section, ...]) -> str:
    """The summary of the frontmatter, else the first sentence of the lead, at most 200 characters."""
    given = str(fields.get("summary", ""))
    prose = (p.text for p in parts[0].passages if not p.text.startswith(("#", "```", "|")))
    text = " ".join((given or next(prose, "")).split())
    if not given:
        end = next((n for n, c in enumerate(text) if c in ".!?" and text[n + 1 : n + 2] in ("", " ")), len(text))
        text = text[: end + 1]
    return text if len(text) <= MAX_SUMMARY else text[: MAX_SUMMARY - 1].rstrip() + "…"
