"""The whole service in this process: real handlers and adapters, DynamoDB and S3 on the emulator.

What AWS does between the functions (stream, bucket events, state machine) is done by `pump` and `consolidate`.
"""

import hashlib
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from remembrancer.parts.run import get_manifest
from remembrancer.ports import Clock, Token
from remembrancer.wiring import Wiring, wiring
from tests import events, ministack

TASKS = ("plan", "file", "settle", "views", "maintain")


class Context:
    """What a handler may ask of its Lambda context."""

    function_name = "test"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:eu-central-1:000000000000:function:test"
    aws_request_id = "test"

    def get_remaining_time_in_millis(self) -> int:
        """Half a minute, always."""
        return 30_000


@dataclass
class Reply:
    """Status, headers and parsed body of one answer."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class System:
    """One tenant. `token` carries `space` with all scopes."""

    space: str
    token: str
    wiring: Wiring
    started: list[tuple[str, str, str]] = field(default_factory=list)
    full: list[tuple[str, int]] = field(default_factory=list)

    def call(
        self,
        method: str,
        url: str,
        body: Any = None,
        *,
        raw: str | None = None,
        token: str | None = None,
        **headers: str,
    ) -> Reply:
        """One HTTP request; header names in words with underscores."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        bearer = self.token if token is None else token
        if bearer:
            sent.setdefault("authorization", f"Bearer {bearer}")
        function, event = events.request(method, url, body, headers=sent, raw=raw)
        reply = import_module(f"functions.{function}.handler").handler(event, Context())
        headers_ = {
            **(reply.get("headers") or {}),
            **{k: v[0] for k, v in (reply.get("multiValueHeaders") or {}).items()},
        }
        return Reply(int(reply["statusCode"]), headers_, reply.get("body") or "")

    def post(self, verb: str, body: Any, **headers: str) -> Any:
        """POST /v1/memory/<verb>; the parsed reply, which must be a good one."""
        reply = self.call("POST", f"/v1/memory/{verb}", body, **headers)
        assert reply.status < 300, reply.text
        return reply.json

    def get(self, path: str) -> Any:
        """GET /v1/<path>; the parsed reply, which must be a good one."""
        reply = self.call("GET", f"/v1/{path}")
        assert reply.status < 300, reply.text
        return reply.json

    def fresh_space(self) -> "System":
        """The same tenant, seen through a token for a new space."""
        space = "kitchen-" + secrets.token_hex(4)
        token = issue(self.wiring, [space], ["read", "write", "admin"])
        return System(space, token, self.wiring, self.started, self.full)

    def issue(self, spaces: list[str], scopes: list[str], trust: str = "guardian") -> str:
        """A new token's text."""
        return issue(self.wiring, spaces, scopes, trust)

    def pump(self, space: str = "") -> None:
        """Deliver what the stream and the bucket would: entries and pages that the index lacks."""
        space = space or self.space
        self.stream([entry.id for entry in self.wiring.entries.pending(space, limit=5_000)], "BUFFER", space)
        for name in self.wiring.pages.names(space, "concepts/"):
            sample = events.load("index_pages")["Records"][0]
            body = json.loads(sample["body"])
            body["detail"]["object"]["key"] = f"spaces/{space}/{name}"
            self.task("index_pages", {"Records": [{**sample, "body": json.dumps(body)}]})
        self.wiring.index.refresh()

    def stream(self, entries: Sequence[str], part: str = "ENTRIES", space: str = "") -> None:
        """Deliver what the table's stream tells of these entries."""
        pk = f"S#{space or self.space}#{part}"
        keys = [{"pk": {"S": pk}, "sk": {"S": entry}} for entry in entries]
        if keys:
            records = [{"eventName": "INSERT", "dynamodb": {"Keys": key}} for key in keys]
            self.task("index_entries", {"Records": records})
        self.wiring.index.refresh()

    def learn(self, space: str = "") -> None:
        """Let maintain read the space's statistics, as a run would."""
        space = space or self.space
        run = self.wiring.clock.new_id()
        lease = self.wiring.leases.take(space, run, "consolidation", seconds=600)
        self.task("maintain", {"space": space, "run": run, "trigger": "manual"})
        self.wiring.leases.release(lease)

    def task(self, function: str, event: dict[str, Any]) -> Any:
        """Call a function that is not behind HTTP."""
        return import_module(f"functions.{function}.handler").handler(event, Context())

    def consolidate(self, space: str = "", run: str = "", trigger: str = "manual") -> dict[str, Any]:
        """One run, task by task as the state machine does it; what gate and release said."""
        space = space or self.space
        run = run or self.wiring.clock.new_id()
        base = {"space": space, "run": run, "trigger": trigger}
        opened = self.task("gate", base)
        if opened["decision"] != "run":
            return {"run": run, **opened}
        planned = self.task("plan", base)
        for batch in planned["batches"]:
            self.task("file", {**base, **batch})
        for name in ("settle", "views", "maintain"):
            self.task(name, base)
        plan = get_manifest(self.wiring, space, run, "plan") or {}
        self.stream([stamp["loser"] for stamp in plan["outcome"]["stamps"]], space=space)
        return {"run": run, **opened, **self.task("release", base)}


class _Events:
    """Notes what would be started; `running` holds for a run whose lease is live."""

    def __init__(self, system: System) -> None:
        self.system = system

    def start_run(self, space: str, run: str, trigger: str) -> None:
        self.system.started.append((space, run, trigger))

    def running(self, run: str) -> bool:
        return any(started == run for _, started, _ in self.system.started)

    def buffer_full(self, space: str, lines: int) -> None:
        self.system.full.append((space, lines))


def issue(wired: Wiring, spaces: list[str], scopes: list[str], trust: str = "guardian") -> str:
    """Store a token and give its text."""
    secret = secrets.token_urlsafe(32)
    token_id = wired.clock.new_id()
    digest = hashlib.sha256(secret.encode()).hexdigest()
    wired.tokens.put(Token(token_id, digest, tuple(spaces), tuple(scopes), trust))
    return f"rmb_{token_id}_{secret}"


@contextmanager
def running(embedder: Path, search: str, *, clock: Clock | None = None) -> Iterator[System]:
    """A tenant of its own on the emulator, with the index at `search`; `clock` instead of the machine's."""
    tenant = "t" + secrets.token_hex(6)
    space = "kitchen-" + secrets.token_hex(3)
    ministack.create(tenant)
    environment = {
        "POWERTOOLS_TRACE_DISABLED": "true",
        "POWERTOOLS_SERVICE_NAME": "test",
        "REMEMBRANCER_TENANT": tenant,
        "REMEMBRANCER_MEMORY": f"dynamodb://{tenant}-memory",
        "REMEMBRANCER_EXPIRING": f"dynamodb://{tenant}-expiring",
        "REMEMBRANCER_PAGES": f"s3://{tenant}-pages",
        "REMEMBRANCER_SEARCH": search,
        "REMEMBRANCER_EMBEDDER": f"onnx://{embedder}",
    }
    with ministack.environment(), patch.dict("os.environ", environment):
        wiring.cache_clear()
        wired = wiring()
        if clock is not None:
            wired.__dict__["clock"] = clock
        system = System(space, issue(wired, [space], ["read", "write", "admin"]), wired)
        wired.__dict__["events"] = _Events(system)
        try:
            yield system
        finally:
            wiring.cache_clear()
