"""One OpenSearch for the whole test process: a given one, a node from Maven artifacts, or a container."""

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from functools import cache
from pathlib import Path

import pytest

from tests.opensearch import node

IMAGE = "opensearchproject/opensearch:2.19.1"
START_S = 120


@cache
def _url() -> str | node.Impossible:
    """The URL, or why this machine cannot have one."""
    if told := os.environ.get("REMEMBRANCER_TEST_SEARCH"):
        return told
    home = Path(tempfile.mkdtemp(prefix="opensearch-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    try:
        started = node.start(home)
    except node.Impossible as missing:
        return _container() or node.Impossible(f"{missing}, and no docker engine answers")
    atexit.register(node.stop, started)
    return started.url


def _container() -> str:
    """The URL of a container, or nothing without an engine."""
    if not shutil.which("docker") or subprocess.run(["docker", "info"], capture_output=True).returncode:
        return ""
    command = ["docker", "run", "--detach", "--rm", "--publish", "127.0.0.1::9200"]
    command += ["--env", "discovery.type=single-node", "--env", "DISABLE_SECURITY_PLUGIN=true", IMAGE]
    name = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    atexit.register(subprocess.run, ["docker", "stop", name], capture_output=True)
    port = subprocess.run(["docker", "port", name, "9200"], check=True, capture_output=True, text=True).stdout
    url = f"http://{port.split()[0]}"
    end = time.monotonic() + START_S
    while not _healthy(url):
        if time.monotonic() > end:
            raise RuntimeError(f"{IMAGE} did not start")
        time.sleep(0.5)
    return url


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_cluster/health", timeout=2) as reply:
            return json.load(reply)["status"] in ("green", "yellow")
    except (urllib.error.URLError, OSError):
        return False


def url() -> str:
    """The URL; without a server the test is skipped with the reason, and fails where CI runs."""
    found = _url()
    if isinstance(found, str):
        return found
    if os.environ.get("CI"):
        pytest.fail(str(found))
    pytest.skip(str(found))
