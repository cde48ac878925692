"""The local system as the command line sees it: where it is kept, and how it is started and stopped."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[5]


class NotHere(Exception):
    """What was asked for needs a checkout of the sources, or a running system."""


def home() -> Path:
    """The folder with everything that the local system keeps."""
    return Path(os.environ.get("REMEMBRANCER_HOME", CHECKOUT / ".remembrancer")).resolve()


def command(name: str, *options: str) -> list[str]:
    """The command that does it. Raises `NotHere` outside of a checkout."""
    if not (CHECKOUT / "infra" / "local" / "__main__.py").exists():
        raise NotHere("the local system runs from a checkout of the sources")
    return [sys.executable, "-m", "infra.local", name, "--home", str(home()), *options]


def become(name: str, *options: str) -> None:
    """Replace this process by the command, so that signals and the terminal are its own."""
    program = command(name, *options)
    os.chdir(CHECKOUT)
    os.execv(program[0], program)


def start() -> dict[str, Any]:
    """Start the system in the background, or find it running; its description. Progress goes to stderr."""
    done = subprocess.run(command("up", "--detach", "--json"), cwd=CHECKOUT, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise NotHere("the local system does not start")
    return dict(json.loads(done.stdout))


def described() -> dict[str, Any]:
    """The system of the last start. Raises `NotHere` when there was none."""
    path = home() / "system.json"
    if not path.exists():
        raise NotHere("there is no local system yet: start it with `remembrancer up`")
    return dict(json.loads(path.read_text()))
