"""Processes of the local system: start apart from the terminal, find again, stop and wait."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_children: "dict[int, subprocess.Popen[bytes]]" = {}


def free_port(wanted: int) -> int:
    """`wanted` if nobody listens there, else a free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(command: Sequence[str], folder: Path, environ: Mapping[str, str], log: Path) -> int:
    """Start in a session of its own, so that Ctrl-C in the terminal does not reach it; its process id."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    _children[child.pid] = child
    return child.pid


def alive(pid: int, word: str) -> bool:
    """True when this process runs and `word` is in its command line: numbers are used again."""
    if not pid:
        return False
    if (child := _children.get(pid)) is not None:
        return child.poll() is None
    shown = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return word in shown.stdout


def stop(pid: int, word: str, *, seconds: float = 30) -> bool:
    """SIGTERM and wait; SIGKILL after `seconds`. True when it ended by itself or was not there."""
    if not alive(pid, word):
        return True
    os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not alive(pid, word):
            return True
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    return False
