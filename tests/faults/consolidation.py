"""Consolidation under random deaths of its functions, several spaces at once."""

import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.bench.report import Bar
from tests.faults.chapter import Chapter, Tally
from tests.faults.kills import armed
from tests.faults.proof import Findings
from tests.system import System

FIGURES = ("entries_lost", "entries_doubled", "pages_torn", "leases_shared")
BARS = [Bar(name, 0, 0, at_most=True) for name in FIGURES]
A_SPACE = 12
TOGETHER = 3


def run(system: System, *, kills: int, seed: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Figures, and where the deaths were; every space is examined after a dozen of them."""
    started = time.monotonic()
    tally, findings, shared = Tally(), Findings(), list[str]()
    quotas = [min(A_SPACE, kills - start) for start in range(0, kills, A_SPACE)]
    with armed(system.wiring) as log, ThreadPoolExecutor(TOGETHER) as pool:

        def play(number: int, quota: int) -> None:
            space = system.fresh_space()
            found = Chapter(space, random.Random(f"{seed}/{number}"), tally, quota).play()
            findings.add(found)
            shared.extend(log.shared(space.space))
            sys.stderr.write(f"{tally.kills} of {kills} died after {time.monotonic() - started:.0f} s\n")

        for done in [pool.submit(play, number, quota) for number, quota in enumerate(quotas)]:
            done.result()
    lists = {
        "entries_lost": findings.lost,
        "entries_doubled": findings.doubled,
        "pages_torn": findings.torn,
        "leases_shared": shared,
    }
    figures = {"kills": tally.kills, **{name: len(found) for name, found in lists.items()}}
    seconds = round(time.monotonic() - started, 1)
    detail = {"ends": tally.ends, "errors": tally.errors, "places": tally.places, "findings": lists}
    return {**figures, "seed": seed, "seconds": seconds}, detail
