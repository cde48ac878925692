from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.gate import CALIBRATIONS, SEED, Verdict, gate, lexical_strength, thresholds_for
from tests.golden import cases


@pytest.mark.parametrize(
    ("cosines", "lexical", "expected"),
    [
        ([0.66], [], Verdict(True, "dense_pass")),
        ([0.6599], [], Verdict(False, "fail_no_signal")),
        ([0.635, 0.65, 0.64], [], Verdict(True, "dense_cluster")),
        ([0.65, 0.64, 0.63], [], Verdict(True, "dense_cluster")),
        ([0.65, 0.64, 0.6299], [], Verdict(False, "fail_no_signal")),
        ([0.61, 0.6, 0.599], [], Verdict(False, "fail_no_signal")),
        ([], [27], Verdict(True, "sparse_only_strong")),
        ([0.5], [26.9], Verdict(False, "fail_dense_below_and_sparse_weak")),
        ([0.5], [0], Verdict(False, "fail_no_signal")),
        ([], [], Verdict(False, "fail_no_signal")),
    ],
)
def test_the_first_rule_that_decides_gives_the_reason(
    cosines: list[float], lexical: list[float], expected: Verdict
) -> None:
    assert gate(cosines, lexical, SEED) == expected


def test_what_cannot_be_judged_opens_with_a_reason_of_its_own() -> None:
    assert gate([], [], SEED, enabled=False) == Verdict(True, "disabled")
    assert gate([], [], SEED, dense_enabled=False) == Verdict(True, "dense_disabled")
    assert gate([], [], SEED, dense_available=False) == Verdict(True, "dense_unavailable")
    assert gate([], [], None) == Verdict(True, "uncalibrated")
    assert gate([float("nan")], [], SEED) == Verdict(True, "gate_error")


def test_thresholds_belong_to_the_model_of_the_index() -> None:
    assert thresholds_for("all-minilm-l6-v2:53aa5117:int8:384") == CALIBRATIONS["all-minilm-l6-v2"]
    assert thresholds_for("unknown:1") is None


@given(st.lists(st.floats(-1, 1)), st.lists(st.floats(0, 100)), st.floats(0, 1))
def test_a_higher_cosine_never_shuts_the_gate_of_one_hit(
    cosines: list[float], lexical: list[float], more: float
) -> None:
    thresholds = replace(SEED, band=2.0)
    if gate(cosines, lexical, thresholds).open:
        assert gate([cosine + more for cosine in cosines], lexical, thresholds).open


def _asked(case: dict[str, Any], *, faithful: bool) -> object:
    given_ = dict(case["input"])
    if given_.pop("op") == "normalise_needle":
        return pytest.approx(lexical_strength(given_["raw"]), abs=case["tolerance"])
    verdict = gate(given_.pop("dense"), given_.pop("needle"), SEED, faithful=faithful, **given_)
    return {"open": verdict.open, "reason": verdict.reason}


@pytest.mark.parametrize("case", cases("gate", "faithful", "both"), ids=lambda c: str(c["name"]))
def test_golden_faithful(case: dict[str, Any]) -> None:
    assert _asked(case, faithful=True) == case["expect"]


@pytest.mark.parametrize("case", cases("gate", "improved", "both"), ids=lambda c: str(c["name"]))
def test_golden_default(case: dict[str, Any]) -> None:
    assert _asked(case, faithful=False) == case["expect"]
