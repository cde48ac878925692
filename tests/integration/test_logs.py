"""Nothing that is logged holds memory text, whatever goes wrong."""

import io
import json
import logging
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.system import System

SECRET = "the-pelican-keeps-its-diary-in-the-boathouse"
HANDLERS = Path(__file__).parents[2] / "functions"
Seen = Callable[[], str]


@pytest.fixture
def lines(system: System) -> Iterator[io.StringIO]:
    """What the loggers of all functions write, whichever of them was made first in this process."""
    for path in HANDLERS.glob("*/handler.py"):
        import_module(f"functions.{path.parent.name}.handler")
    loggers = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict)]
    handlers = {h for logger in loggers for h in logger.handlers if type(h) is logging.StreamHandler}
    lines = io.StringIO()
    for handler in handlers:
        handler.stream = lines
    yield lines
    for handler in handlers:
        handler.stream = sys.__stdout__  # the one that it was made with may be closed by now


@pytest.fixture
def seen(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], lines: io.StringIO
) -> Iterator[Seen]:
    """All that was logged or printed since the test began."""
    caplog.set_level(logging.INFO)

    def everything() -> str:
        out, err = capfd.readouterr()
        records = "".join(str(vars(record)) for record in caplog.records)
        return caplog.text + records + lines.getvalue() + out + err

    yield everything


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


def test_a_line_carries_the_keys_of_its_own_call_only(system: System, lines: io.StringIO) -> None:
    run = system.consolidate()["run"]
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert {line["run"] for line in told if line["message"] == "task"} == {run}
    before = len(told)
    system.post("recall", {"query": "anything"})
    system.call("GET", "/v1/health", token="")
    recalled, health = [
        line for line in map(json.loads, lines.getvalue().splitlines()[before:]) if line["message"] == "request"
    ]
    assert "space" in recalled
    assert not {"run"} & recalled.keys() | {"run", "space"} & health.keys()
