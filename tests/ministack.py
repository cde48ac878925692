"""The emulator of AWS: one ministack in memory for the whole test process, from a venv of its own."""

import atexit
import fcntl
import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3

ROOT = Path(__file__).parents[1]
PINS = ROOT / "infra" / "ministack.txt"
VENV = ROOT / "build" / "ministack-venv"
START_S = 60


@contextmanager
def running() -> Iterator[str]:
    """The URL of the emulator. It is shared, and stops with the process."""
    yield _server()


@contextmanager
def environment() -> Iterator[None]:
    """The variables with which a client of AWS talks to the emulator."""
    told = {
        "AWS_ENDPOINT_URL": _server(),
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with patch.dict(os.environ, told):
        yield


def create(tenant: str) -> None:
    """The tables `<tenant>-memory` and `<tenant>-expiring` and the bucket `<tenant>-pages`, as infra has them."""
    session = boto3.session.Session("test", "test", region_name="us-east-1")
    dynamodb = session.client("dynamodb", endpoint_url=_server())
    indexes = [
        _index("by_kind", "gk", "ts"),
        _index("by_session", "gs", "sk"),
        _index("by_change", "gc", "changed"),
    ]
    dynamodb.create_table(
        TableName=f"{tenant}-memory",
        GlobalSecondaryIndexes=indexes,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        **_keys("pk", "sk", "gk", "ts", "gs", "gc", "changed"),
    )
    dynamodb.create_table(TableName=f"{tenant}-expiring", **_keys("pk", "sk"))
    ttl: Any = {"Enabled": True, "AttributeName": "expires_at"}
    dynamodb.update_time_to_live(TableName=f"{tenant}-expiring", TimeToLiveSpecification=ttl)
    dynamodb.close()
    s3 = session.client("s3", endpoint_url=_server())
    s3.create_bucket(Bucket=f"{tenant}-pages")
    s3.put_bucket_versioning(Bucket=f"{tenant}-pages", VersioningConfiguration={"Status": "Enabled"})
    s3.close()


def _keys(*names: str) -> Any:
    return {
        "KeySchema": _schema("pk", "sk"),
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
        "BillingMode": "PAY_PER_REQUEST",
    }


def _index(name: str, pk: str, sk: str) -> Any:
    held = "KEYS_ONLY" if name == "by_change" else "ALL"
    return {"IndexName": name, "KeySchema": _schema(pk, sk), "Projection": {"ProjectionType": held}}


def _schema(pk: str, sk: str) -> Any:
    return [{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}]


@cache
def _server() -> str:
    server = _installed()
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    folder = tempfile.TemporaryDirectory(prefix="ministack-")
    told = {
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "PERSIST_STATE": "0",
        "S3_PERSIST": "0",
        "LAMBDA_EXECUTOR": "local",
        "TMPDIR": folder.name,
        "AWS_ENDPOINT_URL": url,
    }
    log = Path(folder.name, "log")
    with log.open("wb") as out:
        process = subprocess.Popen([server], env={**os.environ, **told}, stdout=out, stderr=out, cwd=folder.name)
    atexit.register(_stop, process, folder)
    end = time.monotonic() + START_S
    while not _healthy(url):
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"ministack did not start:\n{log.read_text(errors='replace')[-4000:]}")
        time.sleep(0.1)
    return url


def _installed() -> Path:
    """The server's command, after making its venv when the pins ask for another one."""
    VENV.parent.mkdir(exist_ok=True)
    mark = VENV / "pins.txt"
    with VENV.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test processes may both find it missing
        if not mark.exists() or mark.read_text() != PINS.read_text():
            subprocess.run(["uv", "venv", "--quiet", "--allow-existing", VENV], check=True)
            python = VENV / "bin" / "python"
            subprocess.run(["uv", "pip", "install", "--quiet", "--python", python, "-r", PINS], check=True)
            mark.write_text(PINS.read_text())
    return VENV / "bin" / "ministack"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_ministack/health", timeout=1) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _stop(process: "subprocess.Popen[bytes]", folder: "tempfile.TemporaryDirectory[str]") -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    folder.cleanup()
