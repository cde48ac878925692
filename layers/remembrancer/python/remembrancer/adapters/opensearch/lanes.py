"""A search as one request, and its answer as hits."""

import binascii
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from remembrancer.core.documents import WORDS, bounded, restored
from remembrancer.core.units import Hit
from remembrancer.errors import Invalid, Unavailable
from remembrancer.ports import Found, Lane, Search, Vector

MAX_SIZE = 10_000
_ANSWER = {
    "docvalue_fields": ["unit", "v8", "c8"],
    # Reading stored fields, even only for the id, costs several times what the search itself does.
    "stored_fields": "_none_",
    "track_total_hits": False,
}


def sent(search: Search) -> list[tuple[Lane, dict[str, Any]]]:
    """The lanes that can find something, each with its query."""
    made: list[tuple[Lane, dict[str, Any]]] = []
    for lane in search.lanes:
        if lane.text and lane.vector is not None:
            raise Invalid("a lane has words or a vector, not both", field=lane.name)
        filters = _filters(search, lane)
        if lane.vector is not None:
            made.append((lane, _nearest(lane, lane.vector, filters)))
        elif text := bounded(lane.text):
            made.append((lane, _words(lane, text, filters)))
        elif lists(lane):
            made.append((lane, {"bool": {"filter": filters}}))
    return made


def request(search: Search, lanes: Iterable[tuple[Lane, dict[str, Any]]]) -> bytes:
    """The body of `_msearch`. Copies of a shard may count words differently: one space always asks the same."""
    head = json.dumps({"preference": f"space {search.space}"})
    wait = f"{max(1, int(search.timeout_s * 900))}ms"
    bodies = (
        {
            **_ANSWER,
            **({"sort": ["page", "ordinal"]} if lists(lane) else {}),
            "size": min(lane.size, MAX_SIZE),
            "timeout": wait,
            "query": query,
        }
        for lane, query in lanes
    )
    return "".join(f"{head}\n{json.dumps(body)}\n" for body in bodies).encode()


def _words(lane: Lane, text: str, filters: list[Any]) -> dict[str, Any]:
    should = [{"match": {field: {"query": text}}} for field in WORDS[lane.field]]
    return {"bool": {"filter": filters, "should": should, "minimum_should_match": 1}}


def _nearest(lane: Lane, vector: Vector, filters: list[Any]) -> dict[str, Any]:
    """The filter stands inside: beside the clause it would only thin out what was found."""
    k = min(lane.size, MAX_SIZE)
    return {"knn": {"vec": {"vector": list(vector), "k": k, "filter": {"bool": {"filter": filters}}}}}


def lists(lane: Lane) -> bool:
    """True for a lane that lists the units of its parents."""
    return bool(lane.parents) and not lane.text and lane.vector is None


def _filters(search: Search, lane: Lane) -> list[Any]:
    filters: list[Any] = [{"term": {"space": search.space}}]
    terms = (
        ("type", lane.types or search.types),
        ("kind", search.kinds),
        ("page", search.parents),
        ("page", lane.parents),
    )
    for field, values in terms:
        if values:
            filters.append({"terms": {field: list(values)}})
    if not search.superseded:
        filters.append({"term": {"active": True}})
    if lane.first:
        filters.append({"term": {"ordinal": 0}})
    bounds = {"gte": search.after_ms, "lt": search.before_ms}
    span = {key: value for key, value in bounds.items() if value is not None}
    if span:
        undated = {"bool": {"must_not": {"exists": {"field": "at"}}, "filter": {"range": {"fresh_at": span}}}}
        filters.append({"bool": {"should": [{"range": {"at": span}}, undated], "minimum_should_match": 1}})
    return filters


def found(vector: "Vector | None", lanes: Sequence[Lane], replies: Sequence[Any], bm25_factor: float) -> Found:
    """Hits of all lanes, best of the first lane first. Raises `Unavailable` when every lane failed."""
    documents: dict[str, Any] = {}
    scores: dict[str, dict[str, float]] = {}
    degraded: list[str] = []
    failed = 0
    for lane, reply in zip(lanes, replies, strict=True):
        if "error" in reply:
            if reply["error"]["type"] != "index_not_found_exception":  # nothing was written yet
                degraded.append(lane.name)
                failed += 1
            continue
        if reply["timed_out"] or reply["_shards"]["failed"]:
            degraded.append(lane.name)
        scored = [(_score(lane, hit["_score"], bm25_factor), hit["fields"]) for hit in reply["hits"]["hits"]]
        if not lists(lane):
            scored.sort(key=lambda pair: (-pair[0], pair[1]["unit"]))
        for score, fields in scored[: lane.size]:
            [packed_unit] = fields["unit"]
            documents.setdefault(packed_unit, fields)
            scores.setdefault(packed_unit, {})[lane.name] = score
    if lanes and failed == len(lanes):
        raise Unavailable("every search of the request failed")
    return Found(tuple(_hits(vector, documents, scores)), tuple(degraded))


def _score(lane: Lane, score: float | None, bm25_factor: float) -> float:
    if score is None:
        return 0.0
    return score / bm25_factor if lane.vector is None else 2.0 * score - 1.0


def _hits(
    vector: "Vector | None", documents: Mapping[str, Any], scores: Mapping[str, dict[str, float]]
) -> Iterator[Hit]:
    cosines = [_cosines(vector, [fields[name][0] for fields in documents.values()]) for name in ("v8", "c8")]
    every = zip(scores.values(), _units(documents), *cosines, strict=True)
    return (Hit(unit["id"], restored(unit), raw, cosine, ctx_cosine) for raw, unit, cosine, ctx_cosine in every)


def _units(encoded: Iterable[str]) -> list[Any]:
    """Read as one JSON text: beside that many small ones it takes half the time."""
    texts = _standard("\n".join(encoded)).split("\n")
    return list(json.loads(b"[%s]" % b",".join(binascii.a2b_base64(text + "==") for text in texts if text)))


def _cosines(vector: "Vector | None", encoded: Sequence[str]) -> Sequence[float | None]:
    if vector is None or not encoded:
        return [None] * len(encoded)
    # all are of one length, so with their last bytes filled up they can be decoded as one
    fill = "A" * (-len(encoded[0]) % 4)
    filled = binascii.a2b_base64(_standard(fill.join(encoded) + fill))
    rows = np.frombuffer(filled, np.uint8).reshape(len(encoded), -1)[:, : 4 + len(vector)]
    values = rows[:, 4:].view(np.int8).astype(np.float32) @ np.asarray(vector, np.float32)
    cosines: list[float | None] = (values * rows[:, :4].copy().view("<f4")[:, 0]).tolist()
    return cosines


def _standard(encoded: str) -> str:
    """Doc values come in URL-safe base64 without padding."""
    return encoded.replace("-", "+").replace("_", "/")
