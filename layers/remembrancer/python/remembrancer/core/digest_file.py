"""The digest as bytes: a line of JSON with the counts, the ids, then rows of one size, then the sketches."""

import json
from collections import Counter
from dataclasses import fields
from struct import Struct

from remembrancer.core.digest import Digest, Row
from remembrancer.core.entries import NORM_V
from remembrancer.core.names import Heard
from remembrancer.core.sketch import bits
from remembrancer.core.statistics import Tally

FORMAT = 3
NAMES = tuple(part.name for part in fields(Heard))
_ROW = Struct("<BiIQ?qqQdI?????")


def encode(digest: Digest) -> bytes:
    """The file's content."""
    tally = digest.tally
    head = {
        "format": [FORMAT, NORM_V],
        "made_ms": digest.made_ms,
        "read_ms": digest.read_ms,
        "changed": sorted(digest.changed),
        "units": tally.units,
        "counts": [dict(+counts) for counts in (tally.names, tally.words)],
        "names": [dict(+getattr(digest.names, part)) for part in NAMES],
        "years": sorted((+digest.years).items()),
    }
    rows = digest.rows.values()
    ids = "\n".join(digest.rows)
    fixed = b"".join(_ROW.pack(*row[:-1]) for row in rows)
    sketches = b"".join(row.sketch.to_bytes(bits(row.size) // 8, "little") for row in rows)
    first = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    return b"\n".join([first.encode(), str(len(ids.encode())).encode(), ids.encode() + fixed + sketches])


def decode(body: bytes) -> Digest | None:
    """The digest, or None when the file is not one that this version writes."""
    try:
        first, length, rest = body.split(b"\n", 2)
        head = json.loads(first)
        if head["format"] != [FORMAT, NORM_V]:
            return None
        names, words = (Counter[str](counts) for counts in head["counts"])
        heard = Heard(*(Counter[str](counts) for counts in head["names"]))
        ids = rest[: int(length)].decode().split("\n") if int(length) else []
        place = int(length) + _ROW.size * len(ids)
        rows: dict[str, Row] = {}
        for id, row in zip(ids, _ROW.iter_unpack(rest[int(length) : place]), strict=True):
            end = place + bits(row[2]) // 8
            rows[id] = Row._make((*row, int.from_bytes(rest[place:end], "little")))
            place = end
        if place != len(rest):
            return None
        tally = Tally(head["units"], names, words)
        return Digest(
            head["made_ms"],
            head["read_ms"],
            rows,
            tally,
            heard,
            Counter(dict(head["years"])),
            set(head["changed"]),
        )
    except (ValueError, KeyError, TypeError, IndexError):
        return None
