"""The measurements' own rules."""

import json
from pathlib import Path

import pytest

from tests.bench import beir
from tests.bench.figures import Asked, by_category, ndcg, quality, recall_at
from tests.bench.locomo import Question
from tests.bench.probe import Probe, Wait
from tests.bench.report import Bar, report


def asked(*results: tuple[int, ...], evidence: tuple[int, ...] = (3,), category: int = 1) -> Asked:
    return Asked("d", Question("?", category, evidence), results)


def test_recall_counts_results_and_not_the_turns_in_them() -> None:
    row = asked((1, 2), (), (3,), (4,), evidence=(3, 4))
    assert (row.recall(2), row.recall(3), row.recall(4)) == (0, 0.5, 1)


def test_a_repeated_turn_takes_a_place_until_each_counts_once() -> None:
    row = asked((1,), (1,), (3,))
    assert (row.recall(2), row.distinct().recall(2)) == (0, 1)


def test_the_reciprocal_rank_is_that_of_the_first_evidence() -> None:
    assert asked((1,), (3, 4), (3,)).reciprocal() == 0.5
    assert asked((1,)).reciprocal() == 0


def test_sessions_are_counted_once_each() -> None:
    row = asked((0,), (1,), (3,))
    assert not row.in_sessions([1, 1, 2, 2], 1)
    assert row.in_sessions([1, 1, 2, 2], 2)


def test_adversarial_questions_are_left_out_of_one_figure_only() -> None:
    rows = [asked((3,)), asked((1,), category=5)]
    found = quality(rows, {"d": [1, 1, 2, 2]})
    assert (found["turn_r10"], found["turn_r10_c14"]) == (0.5, 1)
    assert {name: line["turn_r10"] for name, line in by_category(rows).items()} == {"c1": 1, "c5": 0}


def test_ndcg_is_one_in_the_best_order_and_less_in_another() -> None:
    gains = {"a": 2, "b": 1}
    assert ndcg(["a", "b", "c"], gains) == pytest.approx(1)
    assert 0 < ndcg(["b", "a"], gains) < 1
    assert ndcg(["c"], gains) == 0
    assert recall_at(["c", "b"], gains) == 0.5


@pytest.mark.parametrize(("at_most", "met"), [(False, True), (True, False)])
def test_a_bar_knows_its_direction(at_most: bool, met: bool) -> None:
    told = report("x", {"f": 3}, [Bar("f", 2, 4, at_most), Bar("absent", 1, 1)], {})
    assert told["bars"] == [{"figure": "f", "value": 3, "floor": 2, "goal": 4, "met": met}]
    assert told["met"] is met


def test_requests_side_by_side_are_one_round_trip_and_their_time_counts_once() -> None:
    waits = [
        Wait("dynamodb", "a", 0, 2),
        Wait("s3", "b", 1, 3),
        Wait("embedder", "c", 3, 4),
        Wait("search", "d", 5, 6),
    ]
    probe = Probe(waits)
    assert probe.sequential() == 2
    assert probe.seconds() == 5
    assert probe.seconds("search", "embedder") == 2
    assert probe.count("dynamodb", "s3") == 2


def test_a_beir_folder_keeps_judged_queries_only(tmp_path: Path) -> None:
    lines = {
        "corpus.jsonl": [{"_id": "d1", "title": "Tea", "text": "Green."}, {"_id": "d2", "text": "Coffee."}],
        "queries.jsonl": [{"_id": "q1", "text": "tea?"}, {"_id": "q2", "text": "milk?"}],
    }
    for name, rows in lines.items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n")
    found = beir.read(tmp_path)
    assert found.documents == {"d1": "Tea Green.", "d2": "Coffee."}
    assert (found.queries, found.gains) == ({"q1": "tea?"}, {"q1": {"d1": 2}})
