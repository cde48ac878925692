"""Versioned writes in bulk: an older one loses silently, a busy server is asked again."""

import base64
import json
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from remembrancer.adapters.opensearch.client import Client
from remembrancer.core.documents import document_id, packed, stored, words
from remembrancer.errors import Throttled
from remembrancer.ports import Embedded, Vector

MAX_OPERATIONS = 100
MAX_BYTES = 4 * 1024 * 1024
TRIES = 4
FIRST_WAIT_S = 0.5
LAST_WAIT_S = 4.0
TIMEOUT_S = 15.0
BUSY = (429, 503)


class Lost(Exception):
    """The write alias is not there."""


class Operation(NamedTuple):
    """One document's lines of the request."""

    id: str
    lines: bytes


def write(space: str, one: Embedded, identity: str, *, repair: bool) -> Operation:
    """Index a unit at its rev; `repair` takes the stored rev too."""
    unit = one.unit
    name = document_id(space, unit.parent, unit.ordinal)
    kept = stored(unit)
    fields = {
        **kept,
        "space": space,
        "model": identity,
        **{field: text for field, text in words(unit).items() if text},
        "unit": _binary(json.dumps({"id": name, **kept}, ensure_ascii=False).encode()),
        "v8": _binary(packed(one.vector)),
        "c8": _binary(packed(one.ctx_vector)),
    }
    body = f'{json.dumps(fields, ensure_ascii=False)[:-1]}, "vec": {_numbers(one.vector)}}}'
    return Operation(name, f"{_action('index', name, unit.rev, equal=repair)}\n{body}\n".encode())


def delete(space: str, parent: str, ordinal: int, rev: int) -> Operation:
    """Remove a unit. At the same rev the removal wins, in whatever order the two arrive."""
    name = document_id(space, parent, ordinal)
    return Operation(name, f"{_action('delete', name, rev, equal=True)}\n".encode())


def _action(kind: str, name: str, rev: int, *, equal: bool) -> str:
    return json.dumps(
        {kind: {"_id": name, "version": rev, "version_type": "external_gte" if equal else "external"}}
    )


def _binary(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _numbers(vector: Vector) -> str:
    """Six digits are more than the cosine needs, at half the bytes."""
    return f"[{','.join(f'{value:.6g}' for value in vector)}]"


def send(client: Client, alias: str, operations: Sequence[Operation]) -> dict[str, str]:
    """Kind of error by document id. Raises `Lost`, and `Throttled` when the server stays busy."""
    errors: dict[str, str] = {}
    for chunk in _chunks(operations):
        for attempt in range(TRIES):
            if attempt:
                time.sleep(random.uniform(0, min(LAST_WAIT_S, FIRST_WAIT_S * 2**attempt)))
            chunk = _send(client, alias, chunk, errors)
            if not chunk:
                break
        else:
            raise Throttled("the search index is too busy for writes", retry_after_s=int(LAST_WAIT_S))
    return errors


def _chunks(operations: Sequence[Operation]) -> Iterator[list[Operation]]:
    chunk: list[Operation] = []
    size = 0
    for operation in operations:
        if chunk and (len(chunk) == MAX_OPERATIONS or size + len(operation.lines) > MAX_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(operation)
        size += len(operation.lines)
    if chunk:
        yield chunk


def _send(client: Client, alias: str, chunk: list[Operation], errors: dict[str, str]) -> list[Operation]:
    """One request; adds to `errors` and returns what has to be sent again."""
    body = b"".join(operation.lines for operation in chunk)
    try:
        reply = client.call("POST", f"/{alias}/_bulk", body, params={"require_alias": "true"}, timeout_s=TIMEOUT_S)
    except Throttled:
        return chunk
    if reply is None:
        raise Lost
    if not reply["errors"]:
        return []
    again: list[Operation] = []
    for operation, item in zip(chunk, reply["items"], strict=True):
        [outcome] = item.values()
        kind = _error(outcome)
        if kind == "index_not_found_exception":
            raise Lost
        if outcome["status"] in BUSY:
            again.append(operation)
        elif kind and outcome["status"] != 409:
            errors[operation.id] = kind
    return again


def _error(outcome: dict[str, Any]) -> str:
    return str(outcome["error"]["type"]) if "error" in outcome else ""
