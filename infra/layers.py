"""The three layers: our package as it stands, third-party wheels, and the embedding model with its runtime.

Wheels are installed for Lambda's processor and Python by uv, never in a container.
"""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsii
from aws_cdk import AssetHashType, BundlingOptions, DockerImage, ILocalBundling
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.function import CACHES, ROOT
from infra.options import Options

TARGET = ("--python-platform", "aarch64-manylinux_2_28", "--python-version", "3.13")
UNUSED = (
    "bin",
    "numpy/**/tests",
    "onnxruntime/backend",
    "onnxruntime/datasets",
    "onnxruntime/quantization",
    "onnxruntime/tools",
    "onnxruntime/transformers",
)
"""Of the wheels' content; nothing imports these at run time."""
EMBEDDER = ROOT / "build" / "embedder"


@jsii.implements(ILocalBundling)
class Wheels:
    """Fills a layer: pinned wheels below python/, and a folder of data under its own name."""

    def __init__(self, requirements: Path, data: Path | None = None) -> None:
        self.requirements = requirements
        self.data = data

    def try_bundle(self, output_dir: str, *_: Any, **__: Any) -> bool:
        """Install into `output_dir`; always says that it did, so that no container is asked for."""
        python = Path(output_dir) / "python"
        command = ["uv", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"]
        command += [*TARGET, "--target", str(python), "-r", str(self.requirements)]
        subprocess.run(command, check=True)
        for pattern in UNUSED:
            for path in list(python.glob(pattern)):
                shutil.rmtree(path)
        (python / ".lock").unlink(missing_ok=True)
        if self.data is not None:
            shutil.copytree(self.data, Path(output_dir) / self.data.name)
        return True

    def hash(self) -> str:
        """Of sources and target, so that neither time nor machine makes another layer."""
        data = manifest(self.data) if self.data is not None else ""
        parts = [self.requirements.read_text(encoding="utf-8"), *TARGET, *UNUSED, data]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def manifest(folder: Path) -> str:
    """What the built model says about itself. Raises `FileNotFoundError` with the way to build it."""
    path = folder / "manifest.json"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: build it with `uv run layers/embedder/build.py`")
    return path.read_text(encoding="utf-8")


class Layers(Construct):
    """`basic` for every function, `embedding` for those that turn text into vectors."""

    def __init__(self, scope: Construct, id: str, options: Options) -> None:
        super().__init__(scope, id)
        package = lambda_.Code.from_asset(str(ROOT / "layers" / "remembrancer"), exclude=CACHES)
        wheels = self._code(Wheels(ROOT / "layers" / "deps" / "requirements.txt"))
        embedder = self._code(Wheels(ROOT / "layers" / "embedder" / "requirements.txt", EMBEDDER))
        self.basic = [
            self._layer("Package", options.name("package"), package),
            self._layer("Wheels", options.name("wheels"), wheels),
        ]
        self.embedding = [*self.basic, self._layer("Embedder", options.name("embedder"), embedder)]

    def _code(self, wheels: Wheels) -> lambda_.Code:
        return lambda_.Code.from_asset(
            str(wheels.requirements.parent),
            asset_hash=wheels.hash(),
            asset_hash_type=AssetHashType.CUSTOM,
            bundling=BundlingOptions(image=DockerImage.from_registry("none"), local=wheels),
        )

    def _layer(self, id: str, name: str, code: lambda_.Code) -> lambda_.LayerVersion:
        return lambda_.LayerVersion(
            self,
            id,
            layer_version_name=name,
            code=code,
            compatible_architectures=[lambda_.Architecture.ARM_64],
            compatible_runtimes=[lambda_.Runtime.PYTHON_3_13],
        )
