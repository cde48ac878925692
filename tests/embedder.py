"""The embedding model, built when it is not there yet."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "embedder"


@cache
def built() -> Path:
    """The folder of the model."""
    if not (FOLDER / "manifest.json").exists():
        subprocess.run(["uv", "run", "--no-project", "layers/embedder/build.py"], cwd=ROOT, check=True)
    return FOLDER
