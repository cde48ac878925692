"""What every search index shares: ids, the stored form of a unit, packed vectors, and what is refused."""

import base64
import hashlib
import math
import re
import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from remembrancer.core.units import Unit

MAX_CHARS = 1_000
MAX_TERMS = 400
"""Two fields are searched, and engines stop at 1,024 clauses."""

CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
WORDS = {"body": ("text", "ctx"), "lines": ("line_text", "line_ctx"), "title": ("title",)}
"""The fields that a lane of words searches: all units' own words, those of what rules filed, or titles."""

_TERM = re.compile(f"[{CJK}]|[^\\W{CJK}]+")


def document_id(space: str, parent: str, ordinal: int) -> str:
    """Computable from what it names, and free of anything that somebody typed."""
    digest = hashlib.sha256(f"{space}\0{parent}".encode()).digest()
    return f"{base64.b32encode(digest).decode()[:26]}-{ordinal}"


def stored(unit: Unit) -> dict[str, Any]:
    """Every field that a hit brings back; the texts for search are not among them."""
    return {
        "type": unit.type,
        "page": unit.parent,
        "ordinal": unit.ordinal,
        "rev": unit.rev,
        "shown": unit.shown,
        "title": unit.title,
        "section": unit.section,
        "whole": unit.whole,
        "whole_entries": list(unit.whole_entries),
        "group": unit.group,
        "kind": unit.kind,
        "source": unit.source,
        "entities": list(unit.entities),
        "entries": list(unit.entries),
        "at": unit.at_ms,
        "fresh_at": unit.fresh_ms,
        "words": unit.words,
        "question": unit.question,
        "timed": unit.timed,
        "names": list(unit.names),
        "active": unit.active,
        "filed": unit.filed,
        "mentions": [day for span in unit.mentions for day in span],
    }


def words(unit: Unit) -> dict[str, str]:
    """The text of every field of words. What rules filed stands apart: every field has statistics of its own."""
    body, other = ("lines", "body") if unit.filed else ("body", "lines")
    return {**dict(zip(WORDS[body], (unit.text, unit.ctx), strict=True)), **dict.fromkeys(WORDS[other], "")}


def restored(fields: Mapping[str, Any]) -> Unit:
    """The unit behind stored fields, with empty texts for search."""
    days = fields["mentions"]
    return Unit(
        type=fields["type"],
        parent=fields["page"],
        ordinal=fields["ordinal"],
        rev=fields["rev"],
        shown=fields["shown"],
        text="",
        ctx="",
        embed="",
        title=fields["title"],
        section=fields["section"],
        whole=fields["whole"],
        whole_entries=tuple(fields["whole_entries"]),
        group=fields["group"],
        kind=fields["kind"],
        source=fields["source"],
        entities=tuple(fields["entities"]),
        entries=tuple(fields["entries"]),
        at_ms=fields["at"],
        fresh_ms=fields["fresh_at"],
        words=fields["words"],
        question=fields["question"],
        timed=fields["timed"],
        names=tuple(fields["names"]),
        active=fields["active"],
        filed=fields["filed"],
        mentions=tuple(zip(days[::2], days[1::2], strict=True)),
    )


def refusal(vectors: Sequence[Sequence[float]], dimension: int) -> str:
    """Why a document with these vectors is refused, or nothing."""
    for vector in vectors:
        if len(vector) != dimension:
            return "wrong_dimension"
        length = math.hypot(*vector)
        if not math.isfinite(length):
            return "not_finite"
        if length == 0.0:
            return "zero_vector"
    return ""


def packed(vector: Sequence[float]) -> bytes:
    """A vector as a float32 scale (little endian) and one int8 a value."""
    scale = max(map(abs, vector)) / 127
    return struct.pack("<f", scale) + array("b", [round(value / scale) for value in vector]).tobytes()


def bounded(text: str) -> str:
    """The head of a query that an engine takes: so many characters, and so many words or CJK characters."""
    head = text[:MAX_CHARS]
    for count, term in enumerate(_TERM.finditer(head)):
        if count == MAX_TERMS:
            return head[: term.start()]
    return head if _TERM.search(head) else ""
