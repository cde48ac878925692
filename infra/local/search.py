"""Where the index of the local system is: a file, a real OpenSearch started here, or somebody's URL."""

import subprocess
import sys

from infra.local.process import free_port
from infra.local.state import ROOT, System

PORT = 4597


def start(system: System, wanted: str) -> None:
    """Set `system.search`. `wanted`: `embedded`, `local`, a URL, or empty for what it was, at first embedded."""
    if wanted and wanted != "local" and system.search_port:
        stop(system)
        system.search_port = 0
    if wanted == "local" or system.search_port:
        system.search_port = system.search_port or free_port(PORT)
        system.search = _node(system, "start", "--port", str(system.search_port))
    elif wanted == "embedded" or not (wanted or system.search):
        system.search = f"sqlite://{system.home}/index.sqlite"
    elif wanted:
        system.search = wanted


def stop(system: System) -> None:
    """Stop the node that was started here, if any."""
    if system.search_port:
        _node(system, "stop")


def _node(system: System, act: str, *options: str) -> str:
    """Start (what runs already is found) or stop the node whose data is in `opensearch/`; its URL."""
    command = [
        sys.executable,
        "-m",
        "tests.opensearch.node",
        act,
        "--home",
        str(system.home / "opensearch"),
        *options,
    ]
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"OpenSearch does not {act}")
    return done.stdout.strip()
