"""The unit of ranking: one passage of a page, or one entry, with the text that search sees."""

from collections.abc import Mapping

from remembrancer.core.records import record

FORM = "units-3"
"""Part of an index's identity: another number when the fields or texts of its documents change."""


@record(frozen=True, slots=True)
class Unit:
    """One index document without its vectors.

    `type` is passage, entry, page, or signpost: a passage that states nothing of its own, but repeats facts of its
    page or leads to pages. `parent` is a slug or an entry id; `ordinal` counts from 0 inside it. `shown` is what a
    caller gets; `text`, `ctx` and `embed` exist for search only. `whole` is the text of the whole section, when it
    is short, and `whole_entries` are the entries that any of it cites. `names` are the capitalised words in
    mid-sentence; which of them tell units apart is known when a question is asked, not when the unit is made.
    `mentions` are date spans as proleptic day numbers. Instants are UTC milliseconds. A superseded entry is not
    `active`. What is `filed` only repeats entries on a page that rules made: its words are counted apart from all
    others, so that filing a fact changes nothing of what words weigh.
    """

    type: str
    parent: str
    ordinal: int
    rev: int
    shown: str
    text: str
    ctx: str
    embed: str
    title: str = ""
    section: str = ""
    whole: str = ""
    whole_entries: tuple[str, ...] = ()
    group: str = ""
    kind: str = ""
    source: str = ""
    entities: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    at_ms: int | None = None
    fresh_ms: int | None = None
    words: int = 0
    question: bool = False
    timed: bool = False
    names: tuple[str, ...] = ()
    mentions: tuple[tuple[int, int], ...] = ()
    active: bool = True
    filed: bool = False


@record(frozen=True, slots=True)
class Hit:
    """One unit that some lane found. `scores` has the raw score by lane: BM25 (k1 + 1 divided out) or cosine.

    `cosine` and `ctx_cosine` are exact to int8 precision for every hit when the search has a vector.
    """

    id: str
    unit: Unit
    scores: Mapping[str, float]
    cosine: float | None = None
    ctx_cosine: float | None = None
