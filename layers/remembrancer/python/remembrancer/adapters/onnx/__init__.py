"""Embeddings from an ONNX model in a folder, computed in this process."""

import json
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from remembrancer.adapters.onnx.wordpiece import WordPiece, read_vocabulary
from remembrancer.errors import Invalid, Unavailable
from remembrancer.ports import Vector

BATCH = 16
WORKERS = 2
"""Batches at a time. Two threads inside one batch wait for each other more than they gain."""
QUERIES_KEPT = 64
DOCUMENTS_KEPT = 2_000
"""A page that changes by a line is embedded whole; what its other lines came to is remembered, in about 4 MB."""
MAX_CHARS_A_TOKEN = 40
"""Text beyond that many characters a token cannot matter: it is cut before the work starts."""


class OnnxEmbedder:
    """`onnx://FOLDER` with model.onnx, vocab.txt and manifest.json. The model is loaded by the first text."""

    def __init__(self, url: str) -> None:
        self._folder = Path(unquote(urlsplit(url).path))
        try:
            manifest = json.loads((self._folder / "manifest.json").read_text(encoding="utf-8"))
            self.identity: str = manifest["identity"]
            self.dimension: int = manifest["dimension"]
            self._max_tokens: int = manifest["max_tokens"]
        except (OSError, ValueError, KeyError) as error:
            raise Unavailable("the embedder's folder has no usable manifest.json") from error
        self._documents: OrderedDict[str, Vector] = OrderedDict()
        self._query = lru_cache(maxsize=QUERIES_KEPT)(lambda text: self._embed([text])[0])

    def embed(self, texts: Sequence[str], kind: str) -> list[Vector]:
        """What was embedded lately is kept: one turn may ask twice, and pages change by lines."""
        if kind not in ("query", "document"):
            raise Invalid("kind is query or document", field="kind")
        if not all(text.strip() for text in texts):
            raise Invalid("an empty text has no vector", field="texts")
        if kind == "query":
            return [self._query(text)[:] for text in texts]
        return self._embed_documents(texts)

    def _embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        known = {text: vector for text in texts if (vector := self._documents.get(text)) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, self._embed(new), strict=True))
        for text, vector in known.items():
            self._documents[text] = vector
            self._documents.move_to_end(text)
        while len(self._documents) > DOCUMENTS_KEPT:
            self._documents.popitem(last=False)
        return [known[text][:] for text in texts]

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        """Texts of like length share a batch, so little of it is padding."""
        encoded = [self._wordpiece.encode(text[: self._max_tokens * MAX_CHARS_A_TOKEN]) for text in texts]
        order = sorted(range(len(encoded)), key=lambda place: len(encoded[place]))
        vectors: list[Vector] = [array("f")] * len(encoded)
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        for places, rows in zip(
            batches, self._map([[encoded[p] for p in batch] for batch in batches]), strict=True
        ):
            for place, row in zip(places, rows, strict=True):
                vectors[place] = array("f", row.tobytes())
        return vectors

    def _map(self, batches: Sequence[Sequence[Sequence[int]]]) -> list[Any]:
        """The model's answers in order; one batch needs no thread."""
        if len(batches) < 2:
            return [self._run(batch) for batch in batches]
        _ = self._session  # loaded here, so that the threads do not load it twice
        with ThreadPoolExecutor(WORKERS) as pool:
            return list(pool.map(self._run, batches))

    def _run(self, batch: Sequence[Sequence[int]]) -> Any:
        import numpy as np

        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        with _unavailable("run"):
            return self._session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})[0]

    @cached_property
    def _wordpiece(self) -> WordPiece:
        with _unavailable("read the vocabulary of"):
            return WordPiece(read_vocabulary(self._folder / "vocab.txt"), self._max_tokens)

    @cached_property
    def _session(self) -> Any:
        from onnxruntime import InferenceSession, SessionOptions  # type: ignore[import-untyped]

        options = SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        with _unavailable("load"):
            return InferenceSession(self._folder / "model.onnx", options, providers=["CPUExecutionProvider"])


@contextmanager
def _unavailable(what: str) -> Iterator[None]:
    """The runtime's errors are of many kinds of its own; to us the model does not answer."""
    try:
        yield
    except Unavailable:
        raise
    except Exception as error:
        raise Unavailable(f"cannot {what} the model ({type(error).__name__})") from error
