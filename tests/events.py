"""Sample events by name, and API Gateway events made from them."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from infra.routes import ROUTES

FOLDER = Path(__file__).parents[1] / "events"


def load(name: str) -> dict[str, Any]:
    """The sample event of one function."""
    event: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return event


def request(
    method: str, url: str, body: Any = None, *, headers: dict[str, str] | None = None, raw: str | None = None
) -> tuple[str, dict[str, Any]]:
    """The function that API Gateway would call, and the event that it would send."""
    parts = urlsplit(url)
    function, template, params = _route(method, parts.path)
    event = load("health")
    key = "$default" if template == "$default" else f"{method} {template}"
    event["routeKey"] = event["requestContext"]["routeKey"] = key
    event["rawPath"] = event["requestContext"]["http"]["path"] = parts.path
    event["requestContext"]["http"]["method"] = method
    event["rawQueryString"] = parts.query
    if parts.query:
        event["queryStringParameters"] = dict(parse_qsl(parts.query, keep_blank_values=True))
    if params:
        event["pathParameters"] = params
    event["headers"] = {"host": "memory.example", **{k.lower(): v for k, v in (headers or {}).items()}}
    text = raw if raw is not None else json.dumps(body) if body is not None else None
    if text is not None:
        event["body"] = text
        event["headers"].setdefault("content-type", "application/json")
    return function, event


def _route(method: str, path: str) -> tuple[str, str, dict[str, str]]:
    for route in ROUTES:
        if route.path == "$default" or route.method != method:
            continue
        pattern = re.sub(r"\{(\w+)\+\}", r"(?P<\1>.+)", route.path)
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern)
        if match := re.fullmatch(pattern, path):
            return route.function, route.path, match.groupdict()
    return "health", "$default", {}
