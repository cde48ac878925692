"""The pure parts of the measurement beside peers."""

import json

import pytest

from remembrancer.core.units import Hit, Unit
from tests.bench.locomo import Turn
from tests.bench.peers.measure import compared
from tests.bench.peers.plain import fused, lane, said
from tests.bench.peers.rival import answer
from tests.bench.peers.worker import store


def hit(parent: str, **scores: float) -> Hit:
    return Hit(parent, Unit("entry", parent, 0, 1, "", "", "", ""), scores)


def test_a_lane_is_its_own_hits_from_high_to_low() -> None:
    hits = [hit("a", bm25=1.0, knn=0.9), hit("b", bm25=2.0), hit("c", knn=0.1)]
    assert lane(hits, "bm25") == ["b", "a"]
    assert lane(hits, "knn") == ["a", "c"]


def test_what_both_lists_have_comes_before_the_first_of_one() -> None:
    assert fused([["a", "b"], ["c", "b"]]) == ["b", "a", "c"]


def test_both_lists_weigh_the_same() -> None:
    assert fused([["a", "b"], ["b", "a"]]) == ["a", "b"]
    assert fused([["b", "a"], ["a", "b"]]) == ["b", "a"]


def test_a_turn_is_told_with_its_speaker() -> None:
    assert said(Turn("D1:1", 1, "2023-05-08T13:56:00", "Ann", "Hello.")) == "Ann: Hello."


def test_a_reply_without_ids_still_has_its_time() -> None:
    assert answer(json.dumps({"found": ["x", "y"], "seconds": 0.5})).ids == ("x", "y")
    told = answer(json.dumps({"found": None, "seconds": 1}))
    assert (told.ids, told.seconds) == ((), 1.0)


def test_without_a_node_the_vectors_are_in_a_folder() -> None:
    told = store("", "/f", 3)
    assert told["provider"] == "qdrant"
    assert told["config"].items() >= {"path": "/f/qdrant", "embedding_model_dims": 3}.items()


@pytest.mark.parametrize(
    ("values", "figures"),
    [
        ({"ours": 3.0, "mem0": 2.0}, {"x": 3.0, "mem0_x": 2.0, "x_ratio": 1.5}),
        ({"ours": 3.0}, {"x": 3.0}),
    ],
)
def test_an_absent_peer_leaves_no_row(values: dict[str, float], figures: dict[str, float]) -> None:
    assert compared("x", "x_ratio", values) == figures
