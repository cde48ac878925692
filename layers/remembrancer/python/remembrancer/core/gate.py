"""Whether a turn has any memory signal at all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the gate opens. Cosines depend on the model: use the calibration of the index identity.

    `open`: the best cosine that opens alone. The best three open together when all reach `floor` and lie within
    `band`. A lexical score s counts as s / (s + `lexical_half`); `strong` opens, `weak` is only named.
    """

    open: float
    floor: float
    band: float = 0.02
    lexical_half: float = 9.0
    strong: float = 0.75
    weak: float = 0.35


SEED = Thresholds(open=0.66, floor=0.6)
"""The thresholds of the older engine, for its own embedder and its own lexical scores."""

CALIBRATIONS = {"all-minilm-l6-v2": Thresholds(open=0.35, floor=0.3, lexical_half=8 / 3)}
"""By model id. Measured on six dialogues: it opens for 95 % of the questions that they answer, and for 22 % of
small talk and work that have nothing to do with them. A gate that stays shut costs more than one that opens."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Open or not, and the first rule that said so."""

    open: bool
    reason: str


def thresholds_for(identity: str) -> Thresholds | None:
    """The calibration of an index identity, which begins with the model id; None for a model without one."""
    return CALIBRATIONS.get(identity.partition(":")[0])


def lexical_strength(score: float, half: float = SEED.lexical_half) -> float:
    """A raw lexical score from 0 to 1; `half` is the score that becomes a half."""
    return score / (score + half) if score > 0 else 0.0


def gate(
    cosines: Sequence[float],
    lexical: Sequence[float],
    thresholds: Thresholds | None,
    *,
    enabled: bool = True,
    dense_enabled: bool = True,
    dense_available: bool = True,
    faithful: bool = False,
) -> Verdict:
    """Decide by the cosines and lexical scores of a turn's hits. What cannot be judged opens.

    `faithful` compares the band without tolerance, as the older engine did.
    """
    if not enabled:
        return Verdict(True, "disabled")
    if not dense_enabled:
        return Verdict(True, "dense_disabled")
    if not dense_available:
        return Verdict(True, "dense_unavailable")
    if thresholds is None:
        return Verdict(True, "uncalibrated")
    if not all(math.isfinite(score) for score in (*cosines, *lexical)):
        return Verdict(True, "gate_error")
    best = sorted(cosines, reverse=True)[:3]
    if best and best[0] >= thresholds.open:
        return Verdict(True, "dense_pass")
    slack = 0.0 if faithful else TOLERANCE
    if len(best) == 3 and best[2] >= thresholds.floor and best[0] - best[2] <= thresholds.band + slack:
        return Verdict(True, "dense_cluster")
    strength = lexical_strength(max(lexical, default=0.0), thresholds.lexical_half)
    if strength >= thresholds.strong:
        return Verdict(True, "sparse_only_strong")
    return Verdict(False, "fail_dense_below_and_sparse_weak" if strength >= thresholds.weak else "fail_no_signal")
