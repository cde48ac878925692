"""mem0, in an environment of its own that `uv` makes from the script's own list of packages."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[3]
WORKER = Path(__file__).with_name("worker.py")
PACKAGE = ROOT / "layers" / "remembrancer" / "python"
END_S = 20


class Absent(Exception):
    """mem0 cannot be installed on this machine; the message says why."""


@dataclass(frozen=True)
class Answer:
    """Ids that a task found or made, and the seconds that it took inside the other process."""

    ids: tuple[str, ...]
    seconds: float


def answer(line: str) -> Answer:
    """One line of the other process."""
    told = json.loads(line)
    return Answer(tuple(told["found"] or ()), float(told["seconds"]))


class Mem0:
    """One memory for all dialogues: a user each."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path) -> None:
        self._process, self._log = process, log
        self._line()

    def _line(self) -> str:
        assert self._process.stdout
        if line := self._process.stdout.readline():
            return line
        raise RuntimeError(f"mem0 ended:\n{self._log.read_text(errors='replace')[-3000:]}")

    def _do(self, task: str, **named: Any) -> Answer:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"do": task, **named}) + "\n")
        self._process.stdin.flush()
        return answer(self._line())

    def add(self, user: str, text: str) -> Answer:
        return self._do("add", user=user, text=text)

    def search(self, user: str, text: str, limit: int) -> Answer:
        return self._do("search", user=user, text=text, limit=limit)

    def refresh(self) -> Answer:
        return self._do("refresh")

    def drop(self) -> None:
        self._do("drop")


def install() -> None:
    """Make the environment. Raises `Absent` when that fails."""
    done = subprocess.run(["uv", "sync", "--script", WORKER], capture_output=True, text=True)
    if done.returncode:
        raise Absent(done.stderr.strip()[-500:])


@contextmanager
def running(search: str, embedder: str) -> Iterator[Mem0]:
    """mem0 with its vectors on the node at `search`, which asks for no signature, or with '' in a folder."""
    with TemporaryDirectory() as name:
        log = Path(name) / "log"
        own = {"PYTHONPATH": str(PACKAGE), "PYTHONSAFEPATH": "1", "MEM0_DIR": name, "MEM0_TELEMETRY": "False"}
        told = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
        command = ["uv", "run", "--no-project", "--script", str(WORKER), search, name, embedder]
        with log.open("w") as file:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, text=True, env=told | own
            )
        with process:
            try:
                made = Mem0(process, log)
                yield made
                made.drop()
            finally:
                assert process.stdin
                process.stdin.close()
                try:
                    process.wait(END_S)
                except subprocess.TimeoutExpired:
                    process.kill()
