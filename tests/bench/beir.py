"""Ranking of a collection in the BEIR layout, against BM25 only, dense only and their RRF over the same hits."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.figures import ndcg, recall_at
from tests.bench.peers.plain import fused, lane
from tests.bench.probe import Probe
from tests.bench.report import Bar
from tests.bench.retrieval import say
from tests.bench.service import InProcess

MAX_CHARS = 16_000
LIMIT = 100
OURS = "beir_ndcg10"
WAYS = ("", "_bm25", "_dense", "_rrf60")


@dataclass(frozen=True)
class Collection:
    """Documents and queries by id, and for each query the gain of its relevant documents."""

    documents: Mapping[str, str]
    queries: Mapping[str, str]
    gains: Mapping[str, Mapping[str, int]]


def read(folder: Path) -> Collection:
    """corpus.jsonl, queries.jsonl and qrels/test.tsv; only queries with judgements are kept."""
    documents = {
        line["_id"]: " ".join(part for part in (line.get("title", "").strip(), line["text"].strip()) if part)
        for line in _lines(folder / "corpus.jsonl")
    }
    gains: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                gains.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    queries = {line["_id"]: line["text"] for line in _lines(folder / "queries.jsonl") if line["_id"] in gains}
    return Collection(documents, queries, gains)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def run(
    service: InProcess, collection: Collection, probe: Probe
) -> tuple[dict[str, float], list[Bar], dict[str, Any]]:
    """Every document is an entry in a session of its own, so it has neither neighbours nor a group."""
    space = service.space(0)
    names: dict[str, str] = {}
    for number, (name, text) in enumerate(collection.documents.items()):
        if text:
            body = {"content": text[:MAX_CHARS], "session_id": f"d{number}"}
            names.setdefault(service.post(space, "remember", body)["entries"][0]["id"], name)
        if number % 1_000 == 999:
            say(f"{number + 1} documents")
    service.indexed(space, len(names))
    service.learn(space)
    scores: dict[str, list[float]] = {f"beir_{kind}{way}": [] for kind in ("ndcg10", "r10") for way in WAYS}
    for query, text in collection.queries.items():
        reply = service.post(space, "recall", {"query": text, "limit": LIMIT})
        if probe.searched is None:
            raise RuntimeError("a query was answered without a search")
        hits = probe.searched[1].hits
        words, near = lane(hits, "bm25"), lane(hits, "knn")
        ours = [result["id"] for result in reply["results"]]
        for way, ranked in zip(WAYS, (ours, words, near, fused([words, near])), strict=True):
            documents = [names[entry] for entry in ranked]
            scores[f"beir_ndcg10{way}"].append(ndcg(documents, collection.gains[query]))
            scores[f"beir_r10{way}"].append(recall_at(documents, collection.gains[query]))
    figures = {name: round(sum(each) / len(each), 4) for name, each in scores.items()}
    floor = figures["beir_ndcg10_rrf60"]
    detail = {"documents": len(names), "queries": len(collection.queries)}
    return figures, [Bar(OURS, floor, floor)], detail
