"""ministack: its own environment, its process, its control calls."""

import fcntl
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from infra.local import process
from infra.local.state import ROOT, System

MODULE = "infra.local.server"
REGION = "us-east-1"
ENVIRONMENT = ROOT / "build" / "ministack-venv"
"""The tests use the same one."""
PINS = ROOT / "infra" / "ministack.txt"


def interpreter() -> Path:
    """Python of the emulator's environment, which is made when it is absent or its pins have changed."""
    python, stamp = ENVIRONMENT / "bin" / "python", ENVIRONMENT / "pins.txt"
    ENVIRONMENT.parent.mkdir(exist_ok=True)
    with ENVIRONMENT.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != PINS.read_text():
            make = ["uv", "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(ENVIRONMENT)]
            fill = ["uv", "pip", "install", "--quiet", "--python", str(python), "-r", str(PINS)]
            for command in (make, fill):
                subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
            stamp.write_text(PINS.read_text())
    return python


def environ(home: Path, port: int, api_port: int) -> dict[str, str]:
    """What the emulator and, through it, the functions see: nothing of the caller's AWS configuration."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL") if name in os.environ}
    return {
        **kept,
        "TZ": "UTC",
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "API_PORT": str(api_port),
        "PERSIST_STATE": "1",
        "STATE_DIR": str(home / "state"),
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(home / "s3"),
        "TMPDIR": str(home / "tmp"),
        "LAMBDA_EXECUTOR": "local",
        "LAMBDA_WARM_TTL_SECONDS": "3600",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "DOCKER_HOST": "unix:///nonexistent",
        "LOG_LEVEL": "WARNING",
        **credentials(port),
    }


def credentials(port: int) -> dict[str, str]:
    """Variables for an AWS client that talks to the emulator."""
    return {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def running(system: System) -> bool:
    """True when the recorded process is there and answers."""
    return process.alive(system.pid, MODULE) and _answers(system)


def _answers(system: System) -> bool:
    try:
        with urllib.request.urlopen(f"{system.endpoint}/_ministack/health", timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def start(system: System, *, seconds: float = 60) -> None:
    """Start it and wait until it answers; `system` gets the new process id."""
    (system.home / "tmp").mkdir(parents=True, exist_ok=True)
    log = system.home / "emulator.log"
    command = [str(interpreter()), "-m", MODULE]
    system.pid = process.start(command, ROOT, environ(system.home, system.port, system.api_port), log)
    system.save()
    end = time.monotonic() + seconds
    while not _answers(system):
        if not process.alive(system.pid, MODULE) or time.monotonic() > end:
            raise SystemExit(f"the emulator does not start; its last words are in {log}")
        time.sleep(0.1)


def save(system: System) -> None:
    """Write the emulator's whole state to disk."""
    request = urllib.request.Request(f"{system.endpoint}/_local/save", method="POST")
    with urllib.request.urlopen(request, timeout=60):
        pass


def stop(system: System) -> bool:
    """End it so that it saves; True when it did. Journals make up for a save that did not happen."""
    return process.stop(system.pid, MODULE)
