"""What an HTTP request says, as API Gateway hands it on: route, body, space."""

import base64
import json
from typing import Any
from urllib.parse import quote

from remembrancer.errors import Forbidden, Invalid, TooLarge, Unsupported

MAX_BODY = 5 * 1024 * 1024


def template(event: dict[str, Any]) -> str:
    """The route of a request, without its method."""
    return str(event.get("routeKey") or "").partition(" ")[2]


def one_segment(event: dict[str, Any]) -> str:
    """The path with a greedy parameter as one segment, which is all that the resolver can match."""
    path = str(event.get("rawPath") or "/")
    slug = (event.get("pathParameters") or {}).get("slug", "")
    return path.removesuffix(slug) + quote(slug, safe="") if "/" in slug and path.endswith(slug) else path


def body_text(event: dict[str, Any]) -> str:
    """The body as text, when it is not too large."""
    body = event.get("body") or ""
    if len(body) > MAX_BODY * (4 / 3 if event.get("isBase64Encoded") else 1):
        raise TooLarge(f"a request holds at most {MAX_BODY} bytes")
    try:
        text = base64.b64decode(body).decode() if event.get("isBase64Encoded") else str(body)
        size = len(text.encode())
    except ValueError as error:
        raise Invalid("the body is not JSON in UTF-8", field="body") from error
    if size > MAX_BODY:
        raise TooLarge(f"a request holds at most {MAX_BODY} bytes")
    return text


def parsed(text: str, headers: dict[str, str]) -> Any:
    """The JSON of a body, None without one."""
    if not text:
        return None
    if "json" not in headers.get("content-type", "").partition(";")[0].lower():
        raise Unsupported("send the body as application/json")
    headers["content-type"] = "application/json"
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        raise Invalid("the body is not JSON", field="body") from error


def named_space(headers: dict[str, str], body: Any) -> str:
    """The space in the header or the body; naming two different ones is refused."""
    named = headers.get("x-memory-space", "")
    inside = body.get("space") if isinstance(body, dict) else None
    if inside is not None and not isinstance(inside, str):
        raise Invalid("must be a string", field="space")
    if named and inside and named != inside:
        raise Forbidden("header and body name different spaces")
    return named or inside or ""
