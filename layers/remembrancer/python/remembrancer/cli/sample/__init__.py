"""Sample text for `remembrancer demo`: twelve facts and five pages of one household."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
QUESTION = "The heating is losing pressure. What do I have to do?"
ANSWER = "house/boiler"
"""The page that answers it."""


def facts() -> list[dict[str, Any]]:
    """Bodies for remember; the one with `probe` is looked for later."""
    return list(json.loads((FOLDER / "facts.json").read_text(encoding="utf-8")))


def pages() -> list[dict[str, str]]:
    """Pages for ingest."""
    root = FOLDER / "pages"
    found = sorted(root.rglob("*.md"))
    return [
        {"slug": str(path.relative_to(root).with_suffix("")), "content": path.read_text(encoding="utf-8")}
        for path in found
    ]
