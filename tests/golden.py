"""Golden vectors that live beside a checkout; they may be absent."""

import json
import os
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("REMEMBRANCER_GOLDEN", Path(__file__).parents[2] / "shared" / "golden"))


def cases(name: str, *modes: str) -> list[dict[str, Any]]:
    """The cases of one file, only those of `modes` when given; none when the folder is absent."""
    path = FOLDER / f"{name}.json"
    if not path.exists():
        return []
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return [case for case in found if not modes or case["mode"] in modes]
