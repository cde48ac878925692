"""The file: its tables, its connection, and versioned writes."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from remembrancer.adapters.sqlite_index.words import spread
from remembrancer.core.documents import WORDS, document_id, packed, stored, words
from remembrancer.errors import Invalid, Unavailable
from remembrancer.ports import Embedded

BUSY_S = 30.0
FIELDS = tuple(field for fields in WORDS.values() for field in fields)
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS units (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, space TEXT NOT NULL, page TEXT NOT NULL,
    ordinal INTEGER NOT NULL, rev INTEGER NOT NULL, change INTEGER NOT NULL,
    type TEXT, kind TEXT, instant INTEGER, active INTEGER, fields TEXT, v8 BLOB, c8 BLOB
);
CREATE UNIQUE INDEX IF NOT EXISTS by_change ON units (space, change);
"""
"""A removed unit keeps its row without `fields`. `change` counts the writes of the file."""
_WORDS = """
CREATE VIRTUAL TABLE IF NOT EXISTS words_{}
USING fts5 (words, tokenize = 'porter unicode61 remove_diacritics 2')"""
_FIND = "SELECT id, rev, fields IS NULL FROM units WHERE name = ?"
_WRITE = """
INSERT INTO units (name, space, page, ordinal, rev, change, type, kind, instant, active, fields, v8, c8)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET rev = excluded.rev, change = excluded.change, type = excluded.type,
    kind = excluded.kind, instant = excluded.instant, active = excluded.active, fields = excluded.fields,
    v8 = excluded.v8, c8 = excluded.c8
RETURNING id
"""


class File:
    """One SQLite file for one model, shared by threads through a lock and by processes through WAL."""

    def __init__(self, path: Path, identity: str) -> None:
        self._path = path
        self._identity = identity
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self.opened = 0
        """Grows with every connection: another one may be to another file of the same name."""

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """All or nothing, on one state of the file. A file that somebody removed is made anew."""
        with self._lock:
            try:
                connection = self._open()
                connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                try:
                    yield connection
                except BaseException:
                    connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise Unavailable(f"the index file cannot be used ({type(error).__name__})") from error

    def _open(self) -> sqlite3.Connection:
        if self._connection and self._path.exists() and self._path.stat().st_ino == self._inode:
            return self._connection
        self.close()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._inode = connection, self._path.stat().st_ino
        self.opened += 1
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} {'; '.join(map(_WORDS.format, FIELDS))}; COMMIT;")
        given = [("identity", self._identity), ("change", 0), ("erased", 0)]
        connection.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", given)
        if meta(connection, "identity") != self._identity:
            raise Invalid("the index file belongs to another embedding model", field="identity")

    def close(self) -> None:
        """Close the connection; the next use opens one."""
        if self._connection:
            self._connection.close()
            self._connection = None


def meta(connection: sqlite3.Connection, key: str) -> str | int:
    """One value about the file."""
    value: str | int = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()[0]
    return value


def _next_change(connection: sqlite3.Connection) -> int:
    query = "UPDATE meta SET value = value + 1 WHERE key = 'change' RETURNING value"
    return int(connection.execute(query).fetchall()[0][0])


def write(connection: sqlite3.Connection, space: str, one: Embedded, *, repair: bool) -> None:
    """Store a unit unless its rev is stored already; `repair` takes the stored rev too."""
    unit = one.unit
    name = document_id(space, unit.parent, unit.ordinal)
    old = connection.execute(_FIND, (name,)).fetchone()
    if old and (unit.rev < old[1] or (unit.rev == old[1] and not repair)):
        return
    instant = unit.fresh_ms if unit.at_ms is None else unit.at_ms
    row = (
        name,
        space,
        unit.parent,
        unit.ordinal,
        unit.rev,
        _next_change(connection),
        unit.type,
        unit.kind,
        instant,
        unit.active,
    )
    fields = json.dumps(stored(unit), ensure_ascii=False)
    [(number,)] = connection.execute(_WRITE, (*row, fields, packed(one.vector), packed(one.ctx_vector))).fetchall()
    _unword(connection, number)
    for field, text in {**words(unit), "title": unit.title}.items():
        if text:
            connection.execute(f"INSERT INTO words_{field} (rowid, words) VALUES (?, ?)", (number, spread(text)))


def remove(connection: sqlite3.Connection, space: str, parent: str, ordinal: int, rev: int) -> None:
    """Leave a tombstone. At the same rev the removal wins, in whatever order the two arrive."""
    name = document_id(space, parent, ordinal)
    old = connection.execute(_FIND, (name,)).fetchone()
    if old and (rev < old[1] or (rev == old[1] and old[2])):
        return
    row = (name, space, parent, ordinal, rev, _next_change(connection))
    [(number,)] = connection.execute(_WRITE, (*row, *[None] * 7)).fetchall()
    _unword(connection, number)


def _unword(connection: sqlite3.Connection, number: int) -> None:
    for field in FIELDS:
        connection.execute(f"DELETE FROM words_{field} WHERE rowid = ?", (number,))


def erase(connection: sqlite3.Connection, space: str) -> int:
    """Remove every trace of a space; how many live units that were."""
    query = "SELECT COUNT(fields) FROM units WHERE space = ?"
    live = int(connection.execute(query, (space,)).fetchone()[0])
    for field in FIELDS:
        connection.execute(
            f"DELETE FROM words_{field} WHERE rowid IN (SELECT id FROM units WHERE space = ?)", (space,)
        )
    connection.execute("DELETE FROM units WHERE space = ?", (space,))
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'erased'")
    return live


def details(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, tuple[str, str, bytes]]:
    """(name, fields, ctx vector) of live units by number."""
    marks = ",".join("?" * len(numbers))
    rows = connection.execute(f"SELECT id, name, fields, c8 FROM units WHERE id IN ({marks})", tuple(numbers))
    return {number: (name, fields, c8) for number, name, fields, c8 in rows}
