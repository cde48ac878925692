"""The two ways to the service: over HTTP to a system that runs, or the same handlers in this process."""

import json
import os
import secrets
import time
from typing import Any, Protocol

from remembrancer.cli import local
from remembrancer.cli.calls import Api
from tests.system import System

WAIT_S = 900
PAUSE_S = 0.5


class Service(Protocol):
    """What a measurement asks of the service. `learn` makes the statistics known, as a night's run does."""

    own: dict[str, Any]
    """What a recall before consolidation adds to its body, so that it sees entries only."""

    def space(self, number: int) -> str: ...
    def post(self, space: str, verb: str, body: Any) -> Any: ...
    def indexed(self, space: str, entries: int) -> None: ...
    def learn(self, space: str) -> None: ...
    def consolidate(self, space: str) -> int: ...
    def get(self, space: str, path: str) -> Any: ...


class InProcess:
    """Handlers and adapters in this process. `learn` is the run's task `maintain` alone: nothing is filed."""

    def __init__(self, system: System, spaces: int) -> None:
        self.system = system
        self.own: dict[str, Any] = {}
        self._spaces = [f"{system.space}-{number}" for number in range(spaces)]
        self._token = system.issue(self._spaces, ["read", "write"])

    def space(self, number: int) -> str:
        return self._spaces[number]

    def post(self, space: str, verb: str, body: Any) -> Any:
        reply = self.system.call("POST", f"/v1/memory/{verb}", body, token=self._token, x_memory_space=space)
        if reply.status != 200:
            raise RuntimeError(f"{verb}: {reply.status} {reply.text[:300]}")
        return json.loads(reply.text)

    def get(self, space: str, path: str) -> Any:
        reply = self.system.call("GET", path, token=self._token, x_memory_space=space)
        if reply.status != 200:
            raise RuntimeError(f"{path}: {reply.status} {reply.text[:300]}")
        return json.loads(reply.text)

    def indexed(self, space: str, entries: int) -> None:
        self.system.pump(space)
        held = self.system.wiring.index.count(space)
        if held < entries:
            raise RuntimeError(f"{held} of {entries} entries are indexed")

    def learn(self, space: str) -> None:
        self.system.learn(space)

    def consolidate(self, space: str) -> int:
        """Runs until nothing is pending; how many."""
        runs = 0
        while before := len(self.system.wiring.entries.pending(space, limit=5_000)):
            self.system.consolidate(space)
            runs += 1
            if len(self.system.wiring.entries.pending(space, limit=5_000)) >= before:
                raise RuntimeError(f"a run left {before} entries pending")
        self.system.pump(space)
        return runs


class OverHttp:
    """REMEMBRANCER_URL and a REMEMBRANCER_TOKEN with the admin scope, or the local system that is up.

    Statistics come from a run, and a run with pending entries files them. So `learn` consolidates until nothing is
    pending, and the figures before consolidation are asked with `what: entries` and superseded entries included:
    the entries' own documents, which filing does not change.
    """

    own: dict[str, Any] = {"what": "entries", "include_superseded": True}  # noqa: RUF012

    def __init__(self, spaces: int) -> None:
        url, admin = _where()
        name = f"bench-{secrets.token_hex(4)}"
        self._spaces = [f"{name}-{number}" for number in range(spaces)]
        with Api(url, admin) as api:
            asked = {"spaces": self._spaces, "scopes": ["read", "write"], "label": "bench"}
            self._api = Api(url, api.post("/v1/tokens", asked)["token"])
        self._runs: dict[str, int] = {}

    def space(self, number: int) -> str:
        return self._spaces[number]

    def post(self, space: str, verb: str, body: Any) -> Any:
        self._api.http.headers["X-Memory-Space"] = space
        return self._api.post(f"/v1/memory/{verb}", body)

    def get(self, space: str, path: str) -> Any:
        self._api.http.headers["X-Memory-Space"] = space
        return self._api.get(path)

    def indexed(self, space: str, entries: int) -> None:
        end = time.monotonic() + WAIT_S
        while True:
            told = self.get(space, "/v1/memory/stats")
            held = told["index"]["documents"] or 0
            if held >= entries and not told["unindexed"]:
                return
            if time.monotonic() > end:
                raise RuntimeError(f"{held} of {entries} entries are indexed after {WAIT_S} s")
            time.sleep(PAUSE_S)

    def learn(self, space: str) -> None:
        self._runs[space] = self._consolidate(space)

    def consolidate(self, space: str) -> int:
        """Has been done by `learn`; how many runs it took."""
        return self._runs[space]

    def _consolidate(self, space: str) -> int:
        runs, before = 0, -1
        end = time.monotonic() + WAIT_S
        while True:
            told = self.get(space, "/v1/consolidation/status")
            pending = told["pending"]["entries"]
            if not told["active"]:
                if not pending:
                    break
                if pending != before:
                    self._api.post("/v1/consolidation/run-now")
                    runs, before = runs + 1, pending
            if time.monotonic() > end:
                raise RuntimeError(f"{pending} entries are still pending after {WAIT_S} s")
            time.sleep(PAUSE_S)
        self.indexed(space, 0)
        return runs


def _where() -> tuple[str, str]:
    if url := os.environ.get("REMEMBRANCER_URL"):
        return url, os.environ.get("REMEMBRANCER_TOKEN", "")
    known = local.described()
    return str(known["url"]), str(known["token"])
