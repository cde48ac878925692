import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import boto3
import httpx
import pytest
from moto import mock_aws
from typer.testing import CliRunner

from remembrancer import aws
from remembrancer.cli.app import app
from remembrancer.ports import Token
from remembrancer.settings import Settings
from remembrancer.wiring import Wiring

run = CliRunner()
MEMORY = "dynamodb://local-memory"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in (
        ("ACCESS_KEY_ID", "test"),
        ("SECRET_ACCESS_KEY", "test"),
        ("DEFAULT_REGION", "eu-central-1"),
    ):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    aws.forget_clients()
    with mock_aws():
        boto3.client("dynamodb", region_name="eu-central-1").create_table(
            TableName="local-memory",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk")],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        )
        yield
    aws.forget_clients()


def stored() -> list[Token]:
    return Wiring(Settings(memory=MEMORY, expiring="", pages="", search="")).tokens.all()


def test_the_first_token_is_stored_as_a_hash_and_may_do_everything(table: None) -> None:
    done = run.invoke(app, ["token", "first", "--memory", MEMORY, "--json"])
    shown = json.loads(done.stdout)
    _, token_id, secret = shown["token"].split("_", 2)
    (token,) = stored()
    assert (token.id, token.sha256) == (token_id, hashlib.sha256(secret.encode()).hexdigest())
    assert (token.spaces, token.scopes) == (("default",), ("read", "write", "admin"))


def test_without_a_system_a_token_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path))
    monkeypatch.delenv("REMEMBRANCER_URL", raising=False)
    done = run.invoke(app, ["token", "create", "--space", "kitchen"])
    assert done.exit_code == 3
    assert "remembrancer up" in done.stderr
    assert not done.stdout


def test_a_service_that_is_not_there_is_a_failure_without_a_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise httpx.ConnectError("refused")

    monkeypatch.setenv("REMEMBRANCER_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(httpx.Client, "request", refuse)
    done = run.invoke(app, ["token", "create", "--space", "kitchen", "--json"])
    assert done.exit_code == 1
    assert "does not answer" in done.stderr
    assert not done.stdout


@pytest.mark.parametrize("words", [["token", "create"], ["nonsense"], ["up", "--what"]])
def test_wrong_usage_is_exit_code_2(words: list[str]) -> None:
    assert run.invoke(app, words).exit_code == 2
