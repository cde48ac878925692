"""The one object that a measurement prints, and its bars."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bar:
    """A figure's floor and goal; with `at_most` smaller is better."""

    figure: str
    floor: float
    goal: float
    at_most: bool = False

    def met(self, value: float) -> bool:
        """True when the value is at or beyond the floor."""
        return value <= self.floor if self.at_most else value >= self.floor


def report(name: str, figures: dict[str, float], bars: Sequence[Bar], detail: Any) -> dict[str, Any]:
    """Figures, the bars that they are held to, and where they were measured."""
    held = [
        {
            "figure": bar.figure,
            "value": figures[bar.figure],
            "floor": bar.floor,
            "goal": bar.goal,
            "met": bar.met(figures[bar.figure]),
        }
        for bar in bars
        if bar.figure in figures
    ]
    where = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    return {
        "bench": name,
        "figures": figures,
        "bars": held,
        "met": all(bar["met"] for bar in held),
        "environment": where,
        "detail": detail,
    }


def p50(seconds: Sequence[float]) -> float:
    """The median, in milliseconds."""
    return round(sorted(seconds)[len(seconds) // 2] * 1000, 3)


def p95(seconds: Sequence[float]) -> float:
    """The 95th percentile, in milliseconds."""
    return round(sorted(seconds)[int(len(seconds) * 0.95)] * 1000, 3)
