"""Calls of the HTTP API, for the commands."""

from types import TracebackType
from typing import Any

import httpx


class Refused(Exception):
    """The service answered with an error, or not at all."""


class Api:
    """One base URL and token; every refusal is a `Refused` with the service's own words."""

    def __init__(self, url: str, token: str, *, transport: httpx.BaseTransport | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=url, headers=headers, timeout=60, transport=transport, trust_env=False)

    def __enter__(self) -> "Api":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """One call; the reply, which is a good one."""
        try:
            reply = self.http.request(method, path, json=body)
        except httpx.TransportError as error:
            raise Refused(f"{self.http.base_url} does not answer ({type(error).__name__})") from error
        if reply.is_error:
            raise Refused(f"{method} {path}: {reply.status_code} {_words(reply)}")
        return reply

    def get(self, path: str) -> Any:
        """GET; the parsed reply."""
        return self.call("GET", path).json()

    def post(self, path: str, body: Any = None) -> Any:
        """POST; the parsed reply."""
        return self.call("POST", path, {} if body is None else body).json()


def _words(reply: httpx.Response) -> str:
    try:
        error = reply.json()["error"]
        return f"{error['message']} ({error['field']})" if error.get("field") else str(error["message"])
    except (ValueError, KeyError, TypeError):
        return reply.text[:200]
