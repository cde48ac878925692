"""Search or the model is down or slow: every turn is answered in time, and says what it did without."""

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests import embedder
from tests.system import System, running

INJECT_S, RECALL_S = 4.0, 7.0
"""Their time limits for search, and some room for a machine that is busy."""
FACT = "The spare key hangs behind the blue door."


@contextmanager
def search(status: int, delay_s: float) -> Iterator[str]:
    """A server that answers every request with this status, after a while."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            over.wait(delay_s)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = do_PUT = do_HEAD = answer

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                self.close_connection = True  # the client did not wait

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def timed(system: System, verb: str, body: dict[str, Any]) -> tuple[dict[str, Any], float]:
    begun = time.monotonic()
    return system.post(verb, body), time.monotonic() - begun


def check(system: System, named: set[str]) -> None:
    """A remembered fact comes with the next turn, full or not, and recall answers; all name what is missing."""
    system.post("remember", {"content": FACT})
    for mode in ("full", "turn"):
        body = {"session_id": f"s-{mode}", "turn_id": "t1", "mode": mode, "message": "Where is the spare key?"}
        found, took = timed(system, "inject", body)
        assert FACT in "".join(found["blocks"].values())
        assert named <= set(found["degraded"])
        assert took < INJECT_S
    found, took = timed(system, "recall", {"query": "spare key"})
    assert named <= set(found["degraded"])
    assert took < RECALL_S


@pytest.mark.parametrize(
    ("status", "delay_s"), [(500, 0.0), (429, 0.0), (200, 10.0)], ids=["broken", "busy", "slow"]
)
def test_search_that_fails_or_hangs_holds_nobody_up(status: int, delay_s: float) -> None:
    with search(status, delay_s) as url, running(embedder.built(), url) as system:
        check(system, {"index"})


def test_search_that_is_not_there_holds_nobody_up() -> None:
    with search(200, 0.0) as url:
        """Its port is free again below."""
    with running(embedder.built(), url) as system:
        check(system, {"index"})


def test_a_model_that_cannot_be_read_leaves_the_words(tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(embedder.built(), model)
    search = f"sqlite://{tmp_path}/index.sqlite"
    with running(embedder.built(), search) as system:
        system.post("remember", {"content": FACT})
        system.pump()
        space = system.space
    (model / "model.onnx").write_bytes(b"not a model")
    with running(model, search) as system:
        check(system, {"embedder"})
        assert system.wiring.index.count(space) == 1
