"""Nothing that is logged holds memory text, whatever goes wrong."""

import logging
from unittest.mock import patch

import pytest

from tests.system import System

SECRET = "the-pelican-keeps-its-diary-in-the-boathouse"


def everything(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> str:
    out, err = capfd.readouterr()
    records = "".join(str(vars(record)) for record in caplog.records)
    return caplog.text + records + out + err


def test_a_whole_day_leaves_no_text_in_the_logs(
    system: System, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    system.post("remember", {"content": SECRET})
    system.post("ingest", {"pages": [{"slug": "a", "content": f"Also {SECRET}."}]})
    system.pump()
    system.post("inject", {"session_id": "s", "turn_id": "t", "message": SECRET, "mode": "full"})
    assert system.post("recall", {"query": SECRET})["results"]
    system.consolidate()
    system.call("POST", "/v1/memory/remember", raw=f'{{"content": "{SECRET}')
    system.call("POST", "/v1/memory/remember", {"content": SECRET, "kind": SECRET})
    seen = everything(caplog, capfd)
    assert "request" in seen
    assert SECRET not in seen


def test_an_unexpected_error_is_a_500_without_its_text(
    system: System, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with patch.object(system.wiring.entries, "add", side_effect=ValueError(SECRET)):
        reply = system.call("POST", "/v1/memory/remember", {"content": SECRET})
    assert (reply.status, reply.json["error"]["code"]) == (500, "internal")
    seen = everything(caplog, capfd)
    assert "ValueError" in seen
    assert SECRET not in seen + reply.text
