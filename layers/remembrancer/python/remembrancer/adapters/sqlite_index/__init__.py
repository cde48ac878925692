"""The search index in one SQLite file, for a laptop and spaces of up to 100,000 units."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np

from remembrancer.adapters.sqlite_index import file
from remembrancer.adapters.sqlite_index.rows import Rows, best, unpacked
from remembrancer.adapters.sqlite_index.words import expression
from remembrancer.core.documents import WORDS, document_id, refusal, restored
from remembrancer.core.units import Hit
from remembrancer.errors import Invalid, Unavailable
from remembrancer.ports import Embedded, Found, Lane, Search

SPACES_KEPT = 16
BM25_FACTOR = 2.2
"""FTS5 multiplies by k1 + 1, and by -1."""


class SqliteIndex:
    """`sqlite:///ABSOLUTE/PATH`."""

    def __init__(self, url: str, identity: str, dimension: int) -> None:
        self.identity = identity
        self._dimension = dimension
        self._file = file.File(Path(unquote(urlsplit(url).path)), identity)
        self._rows: dict[str, Rows] = {}
        self._state: tuple[int, str | int] = (0, 0)

    def ensure(self) -> None:
        with self._file.transaction(write=False):
            pass

    def put(
        self,
        space: str,
        units: Sequence[Embedded],
        *,
        gone: Sequence[tuple[str, int, int]] = (),
        repair: bool = False,
    ) -> dict[str, str]:
        errors: dict[str, str] = {}
        with self._file.transaction(write=True) as connection:
            for one in units:
                if why := refusal((one.vector, one.ctx_vector), self._dimension):
                    errors[document_id(space, one.unit.parent, one.unit.ordinal)] = why
                else:
                    file.write(connection, space, one, repair=repair)
            for parent, ordinal, rev in gone:
                file.remove(connection, space, parent, ordinal, rev)
        return errors

    def search(self, search: Search) -> Found:
        """All lanes on one state of the file."""
        if search.vector is not None and len(search.vector) != self._dimension:
            raise Invalid(f"the vector has not {self._dimension} values", field="vector")
        with self._file.transaction(write=False) as connection:
            rows = self._current(connection, search.space)
            scores: dict[int, dict[str, float]] = {}
            degraded: list[str] = []
            for lane in search.lanes:
                found = self._lane(connection, rows, rows.wanted(search, lane), lane)
                if found is None:
                    degraded.append(lane.name)
                for place, score in found or ():
                    scores.setdefault(place, {})[lane.name] = score
            if degraded and len(degraded) == len(search.lanes):
                raise Unavailable("every search of the request failed")
            return Found(tuple(_hits(connection, rows, search, scores)), tuple(degraded))

    def _current(self, connection: sqlite3.Connection, space: str) -> Rows:
        """The space's rows as the file has them now; those of the spaces asked for last are kept."""
        state = (self._file.opened, file.meta(connection, "erased"))
        if state != self._state:
            self._rows.clear()
            self._state = state
        rows = self._rows.pop(space, None) or Rows(self._dimension)
        self._rows[space] = rows
        if len(self._rows) > SPACES_KEPT:
            del self._rows[next(iter(self._rows))]
        rows.update(connection, space)
        return rows

    def _lane(
        self,
        connection: sqlite3.Connection,
        rows: Rows,
        kept: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
        lane: Lane,
    ) -> list[tuple[int, float]] | None:
        """(place, score), best first; None when the lane cannot be searched."""
        if lane.text and lane.vector is not None:
            raise Invalid("a lane has words or a vector, not both", field=lane.name)
        if lane.vector is not None:
            if len(lane.vector) != self._dimension:
                return None
            scores = rows.cosines(np.asarray(lane.vector, np.float32))
        elif lane.parents and not lane.text:
            return [(place, 0.0) for place in rows.in_order(kept, lane.parents, lane.size)]
        else:
            scores = np.zeros(len(kept), np.float32)
            if words := expression(lane.text):
                for field in WORDS[lane.field]:
                    query = f"SELECT rowid, bm25(words_{field}) FROM words_{field} WHERE words_{field} MATCH ?"
                    for number, score in connection.execute(query, (words,)):
                        if (place := rows.places.get(number)) is not None:
                            scores[place] -= score / BM25_FACTOR
            kept = kept & (scores > 0)
        return [(place, float(scores[place])) for place in best(scores, kept, lane.size)]

    def count(self, space: str) -> int:
        with self._file.transaction(write=False) as connection:
            query = "SELECT COUNT(fields) FROM units WHERE space = ?"
            return int(connection.execute(query, (space,)).fetchone()[0])

    def ids(self, space: str) -> list[tuple[str, int, int]]:
        with self._file.transaction(write=False) as connection:
            query = "SELECT page, ordinal, rev FROM units WHERE space = ? AND fields IS NOT NULL"
            query += " ORDER BY page, ordinal"
            return connection.execute(query, (space,)).fetchall()

    def revs(self, space: str, units: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        names = {document_id(space, *unit): unit for unit in units}
        with self._file.transaction(write=False) as connection:
            marks = ",".join("?" * len(names))
            query = f"SELECT name, rev FROM units WHERE name IN ({marks}) AND fields IS NOT NULL"
            return {names[name]: rev for name, rev in connection.execute(query, tuple(names))}

    def drop_space(self, space: str) -> int:
        with self._file.transaction(write=True) as connection:
            return file.erase(connection, space)

    def refresh(self) -> None:
        """Every search sees every write."""

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _hits(
    connection: sqlite3.Connection, rows: Rows, search: Search, scores: dict[int, dict[str, float]]
) -> list[Hit]:
    """The best of the first lane first."""
    if not scores:
        return []
    numbers: list[int] = rows.numbers[list(scores)].tolist()
    details = file.details(connection, numbers)
    cosines: list[float | None] = [None] * len(scores)
    ctx_cosines = cosines
    if search.vector is not None:
        vector = np.asarray(search.vector, np.float32)
        cosines = rows.cosines(vector)[list(scores)].tolist()
        ctx_cosines = (unpacked([details[number][2] for number in numbers]) @ vector).tolist()
    return [
        Hit(details[number][0], restored(json.loads(details[number][1])), lanes, cosine, ctx_cosine)
        for number, lanes, cosine, ctx_cosine in zip(numbers, scores.values(), cosines, ctx_cosines, strict=True)
    ]
