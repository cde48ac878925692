"""The text that search sees of entries, passages and pages.

What is shown never changes; this text is made for search only. A unit is found by its own statements, with the
question before it in front, and by its neighbours' text; its own questions are left out. `text` and `ctx` have
irregular words in their base form, `embed` has not: a model knows the forms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from remembrancer.core.catalogue import PageHead
from remembrancer.core.english import base_forms, is_timed
from remembrancer.core.entries import Entry, text_hash
from remembrancer.core.filing import SOURCE
from remembrancer.core.mentions import mentions
from remembrancer.core.pages import Page
from remembrancer.core.passage_text import dated_ms, leads_on, plain
from remembrancer.core.place import SECTIONS
from remembrancer.core.said import Said, joined, names_in, said_in
from remembrancer.core.sections import Passage, Section, fact_hashes, without_references
from remembrancer.core.units import Unit
from remembrancer.core.zones import day_of

AROUND = 2
WHOLE_WORDS = 120
PAGE_ORDINAL = -1
MAX_ENTITY_WORDS = 4

_ENDS = ".!?\u2026\u3002\uff01\uff1f"
_KINDS = {heading: kind for kind, heading in SECTIONS.items()}


def entry_unit(entry: Entry, before: Sequence[Entry], after: Sequence[Entry]) -> Unit:
    """The unit of an entry between its neighbours in the session: up to two on each side, oldest first.

    The index keeps the newest rev of a unit, and neighbours that come later change its context although the entry
    stays as it is. So the rev counts them in its last two bits: `entry.rev * 4 + len(after)`, at most 2. There 3
    says that it is superseded.
    """
    said, day = said_in(entry.text), day_of(entry.at_ms, entry.zone)
    question = said_in(before[-1].text).last_question if before else ""
    around = [*before[-AROUND:], entry, *after[:AROUND]]
    return Unit(
        type="entry",
        parent=entry.id,
        ordinal=0,
        rev=entry.rev * 4 + (min(len(after), AROUND) if entry.active else AROUND + 1),
        shown=entry.text,
        text=base_forms(joined(question, _prefix(entry.speaker) + said.own)),
        ctx=base_forms(joined(*(_prefix(e.speaker) + said_in(e.text).full for e in around))),
        embed=joined(question, said.own),
        group=entry.session_id or day.isoformat(),
        kind=entry.kind,
        source=entry.source,
        entities=(entry.speaker,) if entry.speaker else (),
        at_ms=entry.at_ms,
        fresh_ms=entry.last_confirmed_ms or entry.remembered_ms or entry.at_ms,
        words=len(said.body.split()),
        question=said.body.endswith("?"),
        timed=is_timed(said.body),
        names=names_in(said.body),
        mentions=mentions(said.body, day),
        active=entry.active,
    )


def _prefix(name: str) -> str:
    return f"{name}: " if name else ""


def passage_units(
    page: Page, sections: Sequence[Section], head: PageHead, known: Mapping[str, Entry] | None = None
) -> list[Unit]:
    """The units of a page's passages in order; ordinals count through the page.

    A line that rules filed and that says what its entry, one of `known`, says is marked as filed.

    Page title and heading are part of a passage's context, but not of a line that rules filed: its entry has a
    document of its own, and would meet its page's other lines at every mention of the title.
    """
    units: list[Unit] = []
    below = {entry for section in sections if section.heading for one in section.passages for entry in one.entries}
    for section in sections:
        said = [said_in(plain(passage)) for passage in section.passages]
        for place, passage in enumerate(section.passages):
            near = said[max(0, place - AROUND) : place + AROUND + 1]
            question = said[place - 1].last_question if place else ""
            filed = head.source == SOURCE and bool(passage.entries)
            front = "" if filed else joined(_stop(page.title), _stop(section.heading))
            entity = "" if filed else _entity(page.title)
            texts = _Texts(said[place], question, joined(front, *(one.full for one in near)), entity)
            type_ = "signpost" if leads_on(section, head, passage, below) else "passage"
            unit = _passage_unit(page, section, head, passage, texts, len(units))
            units.append(
                replace(unit, type=type_, filed=type_ == "signpost" or (filed and _repeats(passage, known or {})))
            )
    return units


def _repeats(passage: Passage, known: Mapping[str, Entry]) -> bool:
    """True when the passage says what the one entry that it cites says."""
    entry = known.get(passage.entries[0]) if len(passage.entries) == 1 else None
    return entry is not None and text_hash(entry.text) in fact_hashes(passage.text)


@dataclass(frozen=True, slots=True)
class _Texts:
    said: Said
    question: str
    ctx: str
    entity: str


def _passage_unit(
    page: Page,
    section: Section,
    head: PageHead,
    passage: Passage,
    texts: _Texts,
    ordinal: int,
) -> Unit:
    said, entity = texts.said, texts.entity
    at_ms = dated_ms(passage)
    if at_ms is None and head.origin_date:
        at_ms = head.fresh_ms
    return Unit(
        type="passage",
        parent=head.slug,
        ordinal=ordinal,
        rev=head.rev,
        shown=passage.text,
        text=base_forms(joined(texts.question, _prefix(entity) + said.own)),
        ctx=base_forms(texts.ctx),
        embed=joined(texts.question, said.own),
        title=f"{page.title} — {section.heading}" if section.heading else page.title,
        section=section.key,
        whole=without_references(section.text).strip("\n") if _is_short(section) else "",
        whole_entries=_cited(section) if _is_short(section) else (),
        group=head.slug,
        kind=head.kind or _KINDS.get(section.heading, ""),
        source=head.source,
        entities=(entity,) if entity else (),
        entries=passage.entries,
        at_ms=at_ms,
        fresh_ms=head.fresh_ms,
        words=len(said.body.split()),
        question=said.body.endswith("?"),
        timed=is_timed(said.body),
        names=names_in(said.body),
        mentions=mentions(said.body, day_of(head.fresh_ms if at_ms is None else at_ms, "UTC")),
    )


def page_unit(page: Page, sections: Sequence[Section], head: PageHead) -> Unit:
    """The unit of a page as a whole: title, summary and headings."""
    entity = _entity(page.title)
    text = joined(_stop(page.title), _stop(head.summary), *(_stop(s.heading) for s in sections))
    return Unit(
        type="page",
        parent=head.slug,
        ordinal=PAGE_ORDINAL,
        rev=head.rev,
        shown=head.summary or page.title,
        text=base_forms(text),
        ctx=base_forms(text),
        embed=text,
        title=page.title,
        group=head.slug,
        kind=head.kind,
        source=head.source,
        entities=(entity,) if entity else (),
        at_ms=head.fresh_ms if head.origin_date else None,
        fresh_ms=head.fresh_ms,
        words=len(text.split()),
        filed=head.source == SOURCE,
    )


def _stop(text: str) -> str:
    return text if not text or text[-1] in _ENDS else f"{text}."


def _entity(title: str) -> str:
    """The title when it is a name: few words, every one with a capital."""
    words = title.split()
    return title if len(words) <= MAX_ENTITY_WORDS and all(word[0].isupper() for word in words) else ""


def _cited(section: Section) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry for passage in section.passages for entry in passage.entries))


def _is_short(section: Section) -> bool:
    return len(section.text.split()) <= WHOLE_WORDS
