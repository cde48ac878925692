"""What an embedder keeps to. int8 results differ a little between kinds of CPU, so no bytes are compared."""

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from remembrancer.adapters.onnx import OnnxEmbedder
from remembrancer.errors import Invalid, Unavailable
from remembrancer.ports import Vector
from tests import embedder as model


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(f"onnx://{model.built()}")


def cosine(one: Vector, two: Vector) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))


def best(embedder: OnnxEmbedder, query: str, texts: Sequence[str]) -> str:
    [asked] = embedder.embed([query], "query")
    scores = [cosine(asked, vector) for vector in embedder.embed(texts, "document")]
    return texts[scores.index(max(scores))]


def test_vectors_are_float32_units_in_the_order_of_the_texts(embedder: OnnxEmbedder) -> None:
    texts = ["a long text about rivers and the birds that live beside them", "tea", "", "\U0001f363"]
    texts.remove("")
    vectors = embedder.embed(texts * 20, "document")
    assert len(vectors) == 60
    for vector in vectors:
        assert (vector.typecode, vector.itemsize, len(vector)) == ("f", 4, embedder.dimension)
        assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-4)
    for text, vector in zip(texts, vectors, strict=False):
        assert cosine(embedder.embed([text], "document")[0], vector) > 0.98


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("Who likes sushi?", ["Mary loves raw fish and rice.", "The train was late.", "We painted the wall."]),
        ("the pet is ill", ["Our dog has a fever.", "The invoice is due.", "He runs marathons."]),
        ("When do we travel to Japan?", ["The flight to Tokyo is on Friday.", "I cook pasta.", "Rent went up."]),
    ],
)
def test_a_question_is_nearest_to_its_answer(embedder: OnnxEmbedder, query: str, texts: list[str]) -> None:
    assert best(embedder, query, texts) == texts[0]


def test_like_meaning_is_near_and_unlike_is_far(embedder: OnnxEmbedder) -> None:
    same = embedder.embed(["A man is eating food.", "A man eats something."], "document")
    other = embedder.embed(["A man is eating food.", "The stock market fell."], "document")
    assert cosine(*same) > 0.6
    assert cosine(*other) < 0.2


def test_a_long_text_is_cut(embedder: OnnxEmbedder) -> None:
    head = "heron " * 254
    cut, longer = embedder.embed([head, head + "otter " * 10_000], "document")
    assert cosine(cut, longer) > 0.98


def test_a_query_asked_twice_is_the_same_and_safe_to_change(embedder: OnnxEmbedder) -> None:
    [first] = embedder.embed(["where is the key"], "query")
    kept = first[:]
    first[0] = 9.0
    assert embedder.embed(["where is the key"], "query") == [kept]


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_text_is_refused(embedder: OnnxEmbedder, text: str) -> None:
    with pytest.raises(Invalid) as caught:
        embedder.embed(["fine", text], "document")
    assert caught.value.field == "texts"


def test_nothing_in_is_nothing_out(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([], "document") == []


def test_an_unknown_kind_is_refused(embedder: OnnxEmbedder) -> None:
    with pytest.raises(Invalid):
        embedder.embed(["text"], "passage")


def test_the_manifest_names_the_model_and_its_size(embedder: OnnxEmbedder) -> None:
    manifest = json.loads((model.built() / "manifest.json").read_text(encoding="utf-8"))
    assert (embedder.identity, embedder.dimension) == (manifest["identity"], manifest["dimension"])
    assert len(embedder.embed(["x"], "query")[0]) == embedder.dimension


def test_a_folder_without_a_model_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        OnnxEmbedder(f"onnx://{tmp_path}")


def test_the_model_is_not_loaded_before_the_first_text() -> None:
    code = (
        "import sys; from remembrancer.adapters.onnx import OnnxEmbedder;"
        f"OnnxEmbedder('onnx://{model.built()}').identity;"
        "sys.exit('onnxruntime' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
