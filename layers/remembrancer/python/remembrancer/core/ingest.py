"""The order of decisions about pages that arrive finished."""

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from remembrancer.core.catalogue import PageHead
from remembrancer.core.dates import origin_ms
from remembrancer.core.links import wikilinks
from remembrancer.core.pages import MAX_BYTES, MAX_SECTIONS, describe, parse
from remembrancer.core.sections import fact_hashes, sections
from remembrancer.core.slugs import RESERVED, check_slug, is_slug
from remembrancer.errors import RemembrancerError

WARN_BYTES = 100_000


@dataclass(slots=True)
class Draft:
    """One page of a request on its way to a result.

    `texts` are its passages, `hashes` what tombstones of them would have, `links` its slug-shaped targets.
    """

    slug: str
    raw: bytes
    action: str = "written"
    error: str = ""
    warnings: list[str] = field(default_factory=list)
    texts: tuple[str, ...] = ()
    hashes: frozenset[str] = frozenset()
    links: tuple[str, ...] = ()

    def fail(self, reason: str) -> None:
        """This page is not taken."""
        self.action, self.error = "invalid", reason

    def refuse_forgotten(self, forgotten: Set[str]) -> None:
        """A text that was forgotten does not come back this way."""
        if not self.error and self.hashes & forgotten:
            self.fail("holds a passage that was forgotten")

    def warn_dangling(self, known: Collection[str]) -> None:
        """Say which link targets are neither stored nor in the batch."""
        self.warnings += [
            f"link to a page that does not exist: {link}" for link in self.links if link not in known
        ]

    def refuse_emptying(self, head: PageHead | None) -> None:
        """A page with text is not replaced by one without."""
        if not self.error and not self.texts and head is not None and any(s.passages for s in head.sections):
            self.fail("would replace a page that has text by one that has none")

    def result(self) -> dict[str, Any]:
        """The line of the reply."""
        error = {"error": self.error} if self.error else {}
        return {"slug": self.slug, "action": self.action, "warnings": self.warnings, **error}


def examine(given: Sequence[tuple[str, str]]) -> list[Draft]:
    """Everything that can be decided without reading the store, in the order of the request."""
    seen: set[str] = set()
    drafts = []
    for slug, content in given:
        draft = Draft(slug, content.encode("utf-8", "surrogatepass"))
        _judge(draft, seen)
        seen.add(slug)
        drafts.append(draft)
    return drafts


def _judge(draft: Draft, seen: Set[str]) -> None:
    try:
        check_slug(draft.slug)
    except RemembrancerError as error:
        return draft.fail(error.message)
    if draft.slug.split("/")[0] in RESERVED:
        return draft.fail("the first segment is reserved")
    if draft.slug in seen:
        return draft.fail("this slug stands earlier in the batch")
    if len(draft.raw) > MAX_BYTES:
        return draft.fail(f"a page holds at most {MAX_BYTES} bytes")
    try:
        page = parse(draft.slug, draft.raw, strict=True)
    except RemembrancerError as error:
        return draft.fail(error.message)
    draft.texts = tuple(passage.text for part in sections(page.body) for passage in part.passages)
    draft.hashes = frozenset(h for text in draft.texts for h in fact_hashes(text))
    head = describe(page, draft.raw, rev=1, modified_ms=0, previous=None)
    if len(sections(page.body)) > MAX_SECTIONS:
        return draft.fail(f"a page holds at most {MAX_SECTIONS} sections")
    draft.links = tuple(link for link in dict.fromkeys([*head.links, *wikilinks(page.body)]) if is_slug(link))
    if len(draft.raw) > WARN_BYTES:
        draft.warnings.append(f"larger than {WARN_BYTES} bytes: split it by topic")
    if not page.fields.get("source"):
        draft.warnings.append("no source")
    origin = str(page.fields.get("origin_date") or "")
    if origin and origin_ms(origin) is None:
        draft.warnings.append("origin_date cannot be read: the time of writing is used")
    if page.fields.get("slug") not in (None, draft.slug):
        draft.warnings.append("the slug in the frontmatter is another one")
