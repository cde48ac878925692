"""Nothing that is logged holds memory text, whatever goes wrong."""

import io
import logging
from collections.abc import Callable, Iterator
from unittest.mock import patch

import pytest

from tests.system import System

SECRET = "the-pelican-keeps-its-diary-in-the-boathouse"
Seen = Callable[[], str]


@pytest.fixture
def seen(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Iterator[Seen]:
    """All that was logged or printed since the test began."""
    caplog.set_level(logging.INFO)
    lines = io.StringIO()
    handlers = [h for h in logging.getLogger("test").handlers if isinstance(h, logging.StreamHandler)]
    before = [h.setStream(lines) for h in handlers]

    def everything() -> str:
        out, err = capfd.readouterr()
        records = "".join(str(vars(record)) for record in caplog.records)
        return caplog.text + records + lines.getvalue() + out + err

    yield everything
    for handler, stream in zip(handlers, before, strict=True):
        handler.stream = stream


def test_a_whole_day_leaves_no_text_in_the_logs(system: System, seen: Seen) -> None:
    system.post("remember", {"content": SECRET})
    system.post("ingest", {"pages": [{"slug": "a", "content": f"Also {SECRET}."}]})
    system.pump()
    system.post("inject", {"session_id": "s", "turn_id": "t", "message": SECRET, "mode": "full"})
    assert system.post("recall", {"query": SECRET})["results"]
    system.consolidate()
    system.call("POST", "/v1/memory/remember", raw=f'{{"content": "{SECRET}')
    system.call("POST", "/v1/memory/remember", {"content": SECRET, "kind": SECRET})
    logged = seen()
    assert "request" in logged
    assert SECRET not in logged


def test_an_unexpected_error_is_a_500_without_its_text(system: System, seen: Seen) -> None:
    with patch.object(system.wiring.entries, "add", side_effect=ValueError(SECRET)):
        reply = system.call("POST", "/v1/memory/remember", {"content": SECRET})
    assert (reply.status, reply.json["error"]["code"]) == (500, "internal")
    logged = seen()
    assert "ValueError" in logged
    assert SECRET not in logged + reply.text
