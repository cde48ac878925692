"""The live units of one space in memory: what filters and cosines need."""

import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from remembrancer.ports import Lane, Search

_NEWER = """
SELECT id, change, page, type, kind, instant, v8, ordinal, active FROM units
WHERE space = ? AND change > ? ORDER BY change
"""
UNDATED = np.iinfo(np.int64).min
Floats = NDArray[np.float32]


def unpacked(blobs: Sequence[bytes]) -> Floats:
    """Packed vectors as rows of float32."""
    raw = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), -1)
    values = raw[:, 4:].view(np.int8).astype(np.float32)
    values *= raw[:, :4].copy().view("<f4")
    return values


class Rows:
    """Columns by place. Brought up to date by reading only what changed."""

    def __init__(self, dimension: int) -> None:
        self._change = 0
        self._codes: dict[str, int] = {}
        self.places: dict[int, int] = {}
        self.numbers = np.zeros(0, np.int64)
        self._alive = np.zeros(0, np.bool_)
        self._active = np.zeros(0, np.bool_)
        self._labels = np.zeros((0, 3), np.int32)
        self._instants = np.zeros(0, np.int64)
        self._ordinals = np.zeros(0, np.int32)
        self._vectors = np.zeros((0, dimension), np.float32)

    def update(self, connection: sqlite3.Connection, space: str) -> None:
        """Take in the writes since the last time."""
        changed = connection.execute(_NEWER, (space, self._change)).fetchall()
        if not changed:
            return
        self._change = changed[-1][1]
        for number, *_ in changed:
            self.places.setdefault(number, len(self.places))
        self._grow(len(self.places))
        places = [self.places[row[0]] for row in changed]
        self.numbers[places] = [row[0] for row in changed]
        self._alive[places] = [row[6] is not None for row in changed]
        self._labels[places] = [[self._code(label or "") for label in row[2:5]] for row in changed]
        self._active[places] = [bool(row[8]) for row in changed]
        self._ordinals[places] = [row[7] for row in changed]
        self._instants[places] = [UNDATED if row[5] is None else row[5] for row in changed]
        live = [(place, row[6]) for place, row in zip(places, changed, strict=True) if row[6] is not None]
        if live:
            self._vectors[[place for place, _ in live]] = unpacked([blob for _, blob in live])

    def _grow(self, wanted: int) -> None:
        """Room to spare, so that a single write does not copy everything."""
        if wanted <= len(self.numbers):
            return
        room = max(wanted, 64) * 5 // 4
        for name in ("numbers", "_alive", "_active", "_labels", "_instants", "_ordinals", "_vectors"):
            old = getattr(self, name)
            new = np.zeros((room, *old.shape[1:]), old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)

    def _code(self, label: str) -> int:
        return self._codes.setdefault(label, len(self._codes))

    def wanted(self, search: Search, lane: Lane) -> NDArray[np.bool_]:
        """True at the places that the filter of the search and of its lane leaves."""
        kept: NDArray[np.bool_] = self._alive.copy() if search.superseded else self._alive & self._active
        terms = ((0, search.parents), (0, lane.parents), (1, lane.types or search.types), (2, search.kinds))
        for column, labels in terms:
            if labels:
                codes = [self._codes[label] for label in labels if label in self._codes]
                kept &= np.isin(self._labels[:, column], codes)
        if lane.first:
            kept &= self._ordinals == 0
        if search.after_ms is not None:
            kept &= self._instants >= search.after_ms
        if search.before_ms is not None:
            kept &= (self._instants < search.before_ms) & (self._instants != UNDATED)
        return kept

    def in_order(self, kept: NDArray[np.bool_], parents: Sequence[str], size: int) -> list[int]:
        """Places of the units of these parents, by parent and ordinal."""
        names = {self._codes[parent]: parent for parent in parents if parent in self._codes}
        places: list[int] = np.flatnonzero(kept).tolist()
        places.sort(key=lambda place: (names[int(self._labels[place, 0])], int(self._ordinals[place])))
        return places[:size]

    def cosines(self, vector: Floats) -> Floats:
        """One cosine a place."""
        product: Floats = self._vectors @ vector
        return product


def best(scores: Floats, kept: NDArray[np.bool_], size: int) -> list[int]:
    """Places of the highest scores among those kept, best first; equal ones by place."""
    places = np.flatnonzero(kept)
    if len(places) > size:
        bar = np.partition(scores[places], -size)[-size]
        places = places[scores[places] >= bar]
    chosen: list[int] = places[np.argsort(-scores[places], kind="stable")][:size].tolist()
    return chosen
