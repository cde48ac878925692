"""Facts as a caller tells them."""

from dataclasses import dataclass

from remembrancer.core.entries import Entry
from remembrancer.core.links import wikilinks


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What all facts of one call share. `at` is ISO 8601 or empty for now, `zone` IANA, offset or empty."""

    kind: str = "semantic"
    source: str = ""
    session_id: str = ""
    at: str = ""
    zone: str = ""
    tags: tuple[str, ...] = ()
    category: str = ""
    importance: float | None = None
    speaker: str = ""

    def entry(self, text: str, *, id: str, at_ms: int, zone: str, now_ms: int) -> Entry:
        """One of the facts as an entry that waits."""
        return Entry(
            id=id,
            text=text,
            kind=self.kind,
            at_ms=at_ms,
            zone=zone,
            remembered_ms=now_ms,
            last_confirmed_ms=now_ms,
            source=self.source,
            sources=(self.source,) if self.source else (),
            session_id=self.session_id,
            speaker=self.speaker,
            category=self.category,
            importance=self.importance,
            tags=self.tags,
            links=tuple(wikilinks(text)),
        )
