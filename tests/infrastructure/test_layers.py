import json
import subprocess
from pathlib import Path

import pytest

from infra.layers import EMBEDDER, Wheels
from tests import embedder

ROOT = Path(__file__).parents[2]
LAYERS = ROOT / "layers"
MOST_BYTES = 250 * 1024 * 1024
EXPORT = ["uv", "export", "--quiet", "--no-dev", "--no-emit-project", "--no-header"]


def test_pins_of_the_deps_layer_are_what_the_project_asks_for() -> None:
    # botocore is part of the runtime
    command = [*EXPORT, "--format", "requirements-txt", "--no-emit-package", "botocore"]
    exported = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert (LAYERS / "deps" / "requirements.txt").read_text() == exported


@pytest.mark.parametrize("layer", ["deps", "embedder"])
def test_pins_have_hashes_and_no_addresses(layer: str) -> None:
    text = (LAYERS / layer / "requirements.txt").read_text()
    pinned = [line for line in text.splitlines() if "==" in line]
    assert pinned
    assert text.count("--hash=sha256:") >= len(pinned)
    assert "://" not in text


def test_the_lock_of_the_cdk_holds_no_addresses_of_downloads() -> None:
    packages = json.loads((ROOT / "infra" / "package-lock.json").read_text())["packages"]
    assert len(packages) > 1
    assert not [name for name, package in packages.items() if "resolved" in package]


def test_layers_are_built_for_lambda_and_fit(tmp_path: Path) -> None:
    embedder.built()
    deps, model = tmp_path / "deps", tmp_path / "embedder"
    assert Wheels(LAYERS / "deps" / "requirements.txt").try_bundle(str(deps))
    assert Wheels(LAYERS / "embedder" / "requirements.txt", EMBEDDER).try_bundle(str(model))
    native = list(tmp_path.rglob("*.so"))
    assert native
    assert all(path.read_bytes()[18:20] == b"\xb7\x00" for path in native)  # ELF machine: AArch64
    assert {path.name for path in (model / "embedder").iterdir()} == {"manifest.json", "model.onnx", "vocab.txt"}
    package = [p for p in (LAYERS / "remembrancer").rglob("*.py") if "__pycache__" not in p.parts]
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert sum(path.stat().st_size for path in [*files, *package]) < MOST_BYTES


def test_a_layer_changes_with_its_pins_only(tmp_path: Path) -> None:
    pins = tmp_path / "requirements.txt"
    pins.write_text("a==1\n")
    first = Wheels(pins).hash()
    assert Wheels(pins).hash() == first
    pins.write_text("a==2\n")
    assert Wheels(pins).hash() != first


def test_a_missing_model_says_how_it_is_built(tmp_path: Path) -> None:
    pins = tmp_path / "requirements.txt"
    pins.write_text("a==1\n")
    with pytest.raises(FileNotFoundError, match=r"layers/embedder/build\.py"):
        Wheels(pins, tmp_path / "nothing").hash()
