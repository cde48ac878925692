"""A week in the life of an assistant: facts by day, played against the system with nightly runs.

`uv run python -m tests.week` writes what the system makes of it to `tests/data/week`, where it can be read and is
compared. The person and everybody around her is invented.
"""

import json
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from remembrancer.core.dates import parse_instant
from remembrancer.core.entries import text_hash
from remembrancer.core.schedule import PER_RUN
from tests import embedder
from tests.system import System, running

DATA = Path(__file__).parent / "data"
GOLDEN = DATA / "week"
WEEK: dict[str, Any] = json.loads((DATA / "week.json").read_text(encoding="utf-8"))
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass
class SetClock:
    """A clock that stands still until it is set; ids are ULIDs of its time and a running number."""

    now: int = 0
    made: int = field(default=0)

    def now_ms(self) -> int:
        return self.now

    def new_id(self) -> str:
        self.made += 1
        value = (self.now << 80) | self.made
        return "".join(DIGITS[(value >> 5 * place) & 31] for place in range(25, -1, -1))

    def set(self, instant: str) -> None:
        """Move to an ISO instant."""
        self.now = parse_instant(instant, "at")


@contextmanager
def tenant() -> Iterator[System]:
    """A tenant whose clock is set by hand."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(embedder.built(), f"sqlite://{folder}/index.sqlite", clock=SetClock()) as system,
    ):
        yield system


def clock(system: System) -> SetClock:
    """The clock of a system made by `tenant`."""
    found = system.wiring.clock
    assert isinstance(found, SetClock)
    return found


def remember(system: System, fact: Mapping[str, Any]) -> str:
    """Take in one fact; its id, or the id of the entry that it repeats."""
    body = {"content": fact["text"], "zone": WEEK["zone"], **{k: v for k, v in fact.items() if k != "text"}}
    return str(system.post("remember", body)["entries"][0]["id"])


def night(system: System, day: str) -> list[dict[str, Any]]:
    """The runs of the night after a day: at 03:00, until nothing waits."""
    after = datetime.fromisoformat(day) + timedelta(days=1)
    runs: list[dict[str, Any]] = []
    while not runs or runs[-1]["decision"] == "run":
        clock(system).set(f"{after:%Y-%m-%d}T03:{len(runs):02d}:00+01:00")
        runs.append(system.consolidate(trigger="nightly"))
    return runs[:-1]


def play(system: System, *, seed: int | None = None) -> list[list[dict[str, Any]]]:
    """Remember each day's facts in the evening, in their order or a shuffled one, and run at night."""
    system.wiring.spaces.update(system.space, {"zone": WEEK["zone"]})
    nights = []
    for day in WEEK["days"]:
        facts = list(day["facts"])
        if seed is not None:
            facts = shuffled(facts, seed)
        for second, fact in enumerate(facts):
            clock(system).set(f"{day['day']}T22:{second // 60:02d}:{second % 60:02d}+01:00")
            remember(system, fact)
        nights.append(night(system, day["day"]))
    return nights


def shuffled(facts: list[Any], seed: int) -> list[Any]:
    """The facts in another order; each stays in its run. Of equal ones the same is first: its spelling stays."""
    runs = [facts[start : start + PER_RUN] for start in range(0, len(facts), PER_RUN)]
    mixed = [fact for run in runs for fact in random.Random(seed).sample(run, len(run))]
    equal: dict[str, list[Any]] = {}
    for fact in facts:
        equal.setdefault(text_hash(fact["text"]), []).append(fact)
    return [equal[text_hash(fact["text"])].pop(0) for fact in mixed]


def files(system: System) -> dict[str, str]:
    """All pages and views as they stand in the bucket, by their names there."""
    stored = system.wiring.pages
    found = {}
    for prefix in ("concepts/", "views/", "core/"):
        for name in stored.names(system.space, prefix):
            page = stored.read(system.space, name)
            assert page is not None
            found[name] = page.body.decode()
    return found


def graph(system: System) -> str:
    """Which page links to which, as JSON text."""
    heads, _ = system.wiring.catalogue.page(system.space, limit=1_000)
    return json.dumps({head.slug: sorted(head.links) for head in heads}, indent=1, ensure_ascii=False) + "\n"


def made(system: System) -> dict[str, str]:
    """Everything that the golden files hold, by name."""
    return {**files(system), "graph.json": graph(system)}


def golden() -> dict[str, str]:
    """What the golden files say, by name."""
    found = (path for path in GOLDEN.rglob("*") if path.is_file())
    return {path.relative_to(GOLDEN).as_posix(): path.read_text(encoding="utf-8") for path in found}


def main() -> None:
    """Write the golden files anew."""
    with tenant() as system:
        play(system)
        new = made(system)
    for name in golden().keys() - new.keys():
        (GOLDEN / name).unlink()
    for name, text in new.items():
        path = GOLDEN / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"wrote {len(new)} files below {GOLDEN}\n")


if __name__ == "__main__":
    main()
