# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "mem0ai==2.2.1",
#     "numpy==2.4.6",
#     "onnxruntime==1.32.0",
#     "opensearch-py==3.2.0",
# ]
# [tool.uv]
# exclude-newer = "2026-11-30T00:00:00Z"
# ///
"""mem0 in a process of its own: a JSON line with a task on stdin, a JSON line with the reply on stdout.

It has no language model (`infer=False`), none of its optional packages that download a model (spaCy, fastembed),
and our embedder called in its process, so nothing here waits for a network but the vector store.
"""

import json
import sys
import time
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from remembrancer.adapters.onnx import OnnxEmbedder

COLLECTION = "bench-mem0"


class Embedding:
    """Our embedder as mem0 calls one."""

    def __init__(self, url: str) -> None:
        self.inner = OnnxEmbedder(url)

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return list(self.inner.embed([text], "query" if memory_action == "search" else "document")[0])

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


def store(search: str, folder: str, dimension: int) -> dict[str, Any]:
    """The vector store: OpenSearch at a URL, else mem0's own default in a folder."""
    told = {"collection_name": COLLECTION, "embedding_model_dims": dimension}
    if not search:
        return {"provider": "qdrant", "config": {**told, "path": f"{folder}/qdrant", "on_disk": True}}
    parts = urlsplit(search)
    secure = parts.scheme == "https"
    where = {"host": parts.hostname, "port": parts.port or (443 if secure else 9200), "use_ssl": secure}
    create(where, dimension)
    return {"provider": "opensearch", "config": {**told, **where}}


def create(where: dict[str, Any], dimension: int) -> None:
    """The index as mem0 makes it, but for the vector engine: it asks for nmslib, which new servers refuse."""
    client = import_module("opensearchpy").OpenSearch(hosts=[where], use_ssl=where["use_ssl"])
    method = {"engine": "lucene", "name": "hnsw", "space_type": "cosinesimil"}
    properties = {
        "vector_field": {"type": "knn_vector", "dimension": dimension, "method": method},
        "payload": {"type": "object"},
        "id": {"type": "keyword"},
    }
    body = {"settings": {"index.knn": True}, "mappings": {"properties": properties}}
    client.indices.delete(index=COLLECTION, ignore_unavailable=True)
    client.indices.create(index=COLLECTION, body=body)
    client.close()


class Worker:
    """One memory; every task but `search` and `add` is ours."""

    def __init__(self, search: str, folder: str, embedder: str) -> None:
        embedding = Embedding(embedder)
        config = {
            "vector_store": store(search, folder, embedding.inner.dimension),
            "embedder": {"provider": "openai", "config": {"api_key": "unused"}},
            "llm": {"provider": "openai", "config": {"api_key": "unused"}},
            "history_db_path": f"{folder}/history.db",
        }
        self.memory = import_module("mem0").Memory.from_config(config)
        self.memory.embedding_model = embedding

    def add(self, user: str, text: str) -> list[str]:
        return [one["id"] for one in self.memory.add(text, user_id=user, infer=False)["results"]]

    def search(self, user: str, text: str, limit: int) -> list[str]:
        """With no threshold: as many as asked for."""
        found = self.memory.search(text, top_k=limit, filters={"user_id": user}, threshold=0.0)
        return [one["id"] for one in found["results"]]

    def refresh(self) -> None:
        """Make what was added visible to the next search."""
        client = self.memory.vector_store.client
        if hasattr(client, "indices"):
            client.indices.refresh(index=COLLECTION)

    def drop(self) -> None:
        self.memory.vector_store.delete_col()


def main() -> None:
    """Serve until stdin ends. `seconds` is the time of the task alone."""
    out, sys.stdout = sys.stdout, sys.stderr  # what mem0 prints is no reply
    worker = Worker(*sys.argv[1:])
    print(json.dumps({"ready": True}), file=out, flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        run = getattr(worker, task.pop("do"))
        begun = time.perf_counter()
        found = run(**task)
        print(json.dumps({"found": found, "seconds": time.perf_counter() - begun}), file=out, flush=True)


if __name__ == "__main__":
    main()
