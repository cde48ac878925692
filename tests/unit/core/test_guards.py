from typing import Any

import pytest

from remembrancer.core.dice import likeness
from remembrancer.core.guards import differing, features, told_apart
from tests.golden import cases

PAIRS = [case for case in cases("guarded_mode") if case["input"]["op"] == "classify"]


def classify(one: str, other: str, *, guarded: bool) -> str:
    found = likeness(one, other)
    if found.exact:
        return "exact"
    if found.near:
        return "defer" if guarded and told_apart(features(one), features(other)) else "supersede"
    return "borderline" if found.borderline else "distinct"


@pytest.mark.parametrize("case", PAIRS, ids=lambda c: c["name"])
def test_golden_pair(case: dict[str, Any]) -> None:
    one, other, wanted = case["input"]["a"], case["input"]["b"], case["expect"]
    assert classify(one, other, guarded=False) == wanted["faithful"]
    assert classify(one, other, guarded=True) == wanted["guarded"]
    assert differing(features(one), features(other)) == wanted["guards"]


@pytest.mark.parametrize(
    ("one", "other", "hit"),
    [
        ("Deploys to staging take 5 minutes", "Deploys to staging take 50 minutes", ["digits"]),
        ("The user likes dark mode", "The user does not like dark mode", ["negation"]),
        ("The user doesn\u2019t drink coffee", "The user does drink coffee", ["negation"]),
        ("Flight leaves Berlin for Paris", "Flight leaves Paris for Berlin", ["names", "permutation"]),
        ("Owner is [[people/alice|Alice]] now", "Owner is [[people/bob|Bob]] now", ["names"]),
        ("Alice owns the service", "Bob owns the service", ["first_token"]),
        ("The theme is dark", "The theme is light", []),
        ("It is so.", "It is so", []),
    ],
)
def test_a_guard_sees_its_difference(one: str, other: str, hit: list[str]) -> None:
    a, b = features(one), features(other)
    assert differing(a, b) == differing(b, a) == hit
    assert told_apart(a, b) is bool(hit)
