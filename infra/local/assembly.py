"""The real template, synthesized once and kept by the hash of everything that it is made from.

Code of functions and layers is not part of the hash: locally it runs from the checkout. Their names are.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from infra.local.state import ROOT

CACHE = ROOT / "build" / "local"
CONTEXT = {"local": "true", "tenant": "local", "search": "http://127.0.0.1:9200"}
"""Where search really is stands in the functions' environment, so that another place needs no new synth."""


def sources() -> list[Path]:
    """Files whose content shapes the template."""
    infra = [p for p in (ROOT / "infra").iterdir() if p.is_file() and p.suffix in (".py", ".json")]
    return sorted([*infra, ROOT / "pyproject.toml"])


def key() -> str:
    """Hash of sources, function names and context."""
    whole = hashlib.sha256(json.dumps(CONTEXT, sort_keys=True).encode())
    for path in sources():
        whole.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    for path in sorted(ROOT.glob("functions/*/handler.py")):
        whole.update(path.parent.name.encode() + b"\0")
    return whole.hexdigest()[:32]


def cached() -> bool:
    """True when `template` takes no synth."""
    return (CACHE / f"{key()}.json").exists()


def template() -> dict[str, Any]:
    """The stack's template, from the cache or from a synth in a process of its own."""
    kept = CACHE / f"{key()}.json"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(_synthesize(CACHE / "cdk.out")))
        for old in CACHE.glob("*.json"):
            if old != kept:
                old.unlink()
    loaded: dict[str, Any] = json.loads(kept.read_text())
    return loaded


def _synthesize(out: Path) -> Any:
    shutil.rmtree(out, ignore_errors=True)
    context = [part for name, value in CONTEXT.items() for part in ("-c", f"{name}={value}")]
    command = [sys.executable, "-m", "infra.app", "--out", str(out), *context]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the template cannot be synthesized:\n{done.stdout}{done.stderr}")
    found = list(out.glob("*.template.json"))
    if len(found) != 1:
        raise SystemExit(f"one template expected in {out}, not {len(found)}")
    return json.loads(found[0].read_text())
