"""Where the index of the local system is: a file, a real OpenSearch started here, or somebody's URL."""

import subprocess
import sys
import time
import urllib.request

from infra.local import process
from infra.local.state import ROOT, System

NODE = "tests.opensearch.node"
PORT = 4597


def start(system: System, wanted: str) -> None:
    """Set `system.search`. Nothing wanted means as last time, at first the embedded index in a file."""
    embedded = f"sqlite://{system.home}/index.sqlite"
    if not wanted and system.search_port:
        wanted = "local"
    if wanted == "local":
        _node(system)
        return
    if wanted:
        stop(system)
        system.search_port = 0
    system.search = embedded if wanted == "embedded" else wanted or system.search or embedded


def _node(system: System) -> None:
    """A node of our own, kept in `opensearch/`."""
    if not process.alive(system.search_pid, NODE):
        system.search_port = process.free_port(system.search_port or PORT)
        folder, port = str(system.home / "opensearch"), str(system.search_port)
        command = [sys.executable, "-m", NODE, "start", "--home", folder, "--port", port]
        system.search_pid = int(
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        )
    system.search = f"http://127.0.0.1:{system.search_port}"
    system.save()
    _answers(system)


def _answers(system: System) -> None:
    end = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(system.search, timeout=5):
                return
        except OSError:
            if time.monotonic() > end:
                raise SystemExit(f"OpenSearch does not answer at {system.search}") from None
            time.sleep(0.3)


def stop(system: System) -> None:
    """Stop the node that was started here, if any."""
    process.stop(system.search_pid, NODE)
    system.search_pid = 0
    system.save()
