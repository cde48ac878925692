"""Bring the local system up and take it down again."""

import fcntl
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.text import Text

from infra.local import assembly, emulator, made, process, search
from infra.local.screen import console, step
from infra.local.state import System

PORT = 4599


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """One start at a time."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def up(home: Path, wanted: str = "") -> System:
    """Start what does not run, deploy what has changed; the running system. `wanted`: see `search.start`."""
    with _alone(home):
        system = System.load(home)
        system.port = system.port or process.free_port(PORT + 1)
        system.api_port = system.api_port or process.free_port(PORT)
        with step("environment of the emulator"):
            emulator.interpreter()
        made.embedder()
        with step("template" if assembly.cached() else "template (synthesized once, takes a while)"):
            raw = assembly.template()
        with step("search"):
            search.start(system, wanted)
        if not emulator.running(system):
            with step("emulator"):
                _ports(system)
                emulator.start(system)
        made.deployed(system, raw)
        if not system.token:
            with step("token"):
                system.token = made.first_token(system)
                system.save()
        with step("health"):
            problem = _problem(system)
        if problem:
            console.print("[yellow]up, but not healthy:[/yellow]", Text(problem))
        return system


def _ports(system: System) -> None:
    """The ports of the last start; others only when somebody else has them now."""
    for name in ("port", "api_port"):
        setattr(system, name, process.free_port(getattr(system, name)))


def _problem(system: System) -> str:
    """What the service says is wrong with it; empty when nothing is."""
    try:
        with urllib.request.urlopen(f"{system.url}/v1/health", timeout=60):
            return ""
    except urllib.error.HTTPError as error:
        return error.read().decode(errors="replace")


def down(home: Path) -> bool:
    """Stop everything so that it saves; True when something ran."""
    system = System.load(home)
    ran = emulator.running(system) or process.alive(system.pid, emulator.MODULE)
    if not emulator.stop(system):
        console.print("the emulator had to be killed; nothing acknowledged is lost, it is in the journal")
    search.stop(system)
    return ran


def wait(system: System) -> None:
    """Stay until Ctrl-C (or SIGTERM, made one by the caller) or the end of the emulator, then stop everything."""
    try:
        while process.alive(system.pid, emulator.MODULE):
            time.sleep(1)
        console.print("[red]the emulator has ended[/red]; `remembrancer up` starts it again")
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with step("stopped, everything saved"):
        down(system.home)
