"""The local system as its users reach it: by commands and over HTTP; and how it dies."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from infra.local import emulator, process
from infra.local.state import System


def crash(system: System) -> None:
    os.kill(system.pid, signal.SIGKILL)
    while process.alive(system.pid, emulator.MODULE):
        time.sleep(0.02)


def remembrancer(home: Path, *words: str) -> dict[str, Any]:
    """A command of the command line against the system in `home`; the object that it prints."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "REMEMBRANCER_"))}
    done = subprocess.run(
        [sys.executable, "-m", "remembrancer.cli", *words],
        env={**environ, "REMEMBRANCER_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return dict(json.loads(done.stdout)) if "--json" in words else {}


def call(method: str, url: str, token: str, body: object = None) -> Any:
    request = urllib.request.Request(url, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Authorization", f"Bearer {token}")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.loads(reply.read())
