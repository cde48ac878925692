"""The emulator's process: `python -m infra.local.server` in the emulator's own environment.

It is ministack with four things changed: item changes are journaled (journal.py), the replies of its Lambda
runtime API are not held back by Nagle's algorithm, it saves when it is asked to (`POST /_local/save`), and a
second port (`API_PORT`) is the deployed HTTP API as its clients see it.
"""

import asyncio
import contextvars
import logging
import os
import socketserver
from importlib import import_module
from pathlib import Path
from typing import Any

from infra.local.journal import FIELD, Journal

JOURNAL_LIMIT = 32_000_000
"""Bytes of journal after which everything is saved whole."""


def _module(name: str) -> Any:
    return import_module(name)


class Server:
    """The ASGI application around ministack's."""

    def __init__(self, folder: Path, api_port: int) -> None:
        self.api_port = api_port
        self.emulator = _module("ministack.app")
        self.runtime = _module("ministack.core.lambda_runtime")
        self.gateway = _module("ministack.services.apigateway")
        self.dynamodb = _module("ministack.services.dynamodb")
        functions = _module("ministack.services.lambda_svc")
        scope = _module("ministack.core.responses")
        self.journal = Journal(folder / "journal", self.dynamodb, functions, scope)
        self.restore_tables = self.dynamodb.load_persisted_state
        self.dynamodb.load_persisted_state = self._restore_tables
        self.load, self.save_all = self.emulator._load_persisted_state, self.emulator.save_all
        self.emulator._load_persisted_state = self._load
        self.emulator.save_all = self._save_all
        self.snapshot: dict[str, Any] = {}

    def _restore_tables(self, data: dict[str, Any]) -> None:
        self.restore_tables(data)
        self.snapshot = data

    def _load(self) -> None:
        self.load()
        lines = contextvars.copy_context().run(self.journal.restore, self.snapshot)
        self.snapshot = {}
        logging.getLogger("journal").warning("read %d journaled changes", lines)

    def _save_all(self, states: Any) -> None:
        self.save_all(states)
        self.journal.forget(self.emulator.load_state("dynamodb")[FIELD])

    def save(self) -> None:
        """Save every service and drop the journals that this makes needless."""
        self.emulator.save_all(self.emulator._build_persistence_save_dict())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] == "http" and scope["server"][1] == self.api_port:
            ids = [key[-1] for key in self.gateway._apis._data]
            if not ids:
                await _reply(send, 503)
                return
            scope = {**scope, "path": f"/_aws/execute-api/{ids[0]}/$default{scope['path']}"}
        elif scope["type"] == "http" and scope["path"] == "/_local/save":
            self.save()
            await _reply(send, 204)
            return
        await self.emulator.app(scope, receive, send)
        if scope["type"] == "lifespan":
            self.runtime.reset()  # ends the functions' processes, which nobody would wait for any more
        if self.journal.size > JOURNAL_LIMIT:
            self.save()


async def _reply(send: Any, status: int) -> None:
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def main() -> None:
    """Serve on 127.0.0.1 until SIGTERM."""
    socketserver.StreamRequestHandler.disable_nagle_algorithm = True
    api_port = int(os.environ["API_PORT"])
    server = Server(Path(os.environ["STATE_DIR"]), api_port)
    server.runtime.Worker._drain_stderr_bounded.__defaults__ = (0.002, 0.002, 0.1)
    config = _module("hypercorn.config").Config()
    config.bind = [f"127.0.0.1:{port}" for port in (os.environ["GATEWAY_PORT"], api_port)]
    config.keep_alive_timeout = 75
    config.loglevel = "WARNING"
    asyncio.run(_module("hypercorn.asyncio").serve(server, config))


if __name__ == "__main__":
    main()
