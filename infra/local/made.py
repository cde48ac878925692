"""What a running system needs once, made only when it is not there: the model, the deployment, a first token."""

import json
import subprocess
import sys

from infra.local import emulator
from infra.local.deploy import client, deploy, digest
from infra.local.screen import step
from infra.local.state import ROOT, System
from infra.local.template import as_text, local

EMBEDDER = ROOT / "build" / "embedder"


def embedder() -> None:
    """The embedding model, built when it is not there."""
    if not (EMBEDDER / "manifest.json").exists():
        with step("embedding model (built once)"):
            command = ["uv", "run", "layers/embedder/build.py"]
            subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)


def deployed(system: System, raw: dict[str, object]) -> None:
    """The template deployed, unless it is already with the same code."""
    variables = {
        "REMEMBRANCER_SEARCH": system.search,
        "REMEMBRANCER_EMBEDDER": f"onnx://{EMBEDDER}",
        "POWERTOOLS_TRACE_DISABLED": "true",
    }
    template, zips = local(raw, variables, sys.executable)
    text = as_text(template)
    wanted = digest(text, zips)
    if system.deployed != wanted:
        with step("deploy"):
            deploy(system.endpoint, text, zips)
            emulator.save(system)
            system.deployed = wanted
            system.save()


def first_token(system: System) -> str:
    """A token for the space `default` that may do everything, made by the package's own code."""
    functions = client("lambda", system.endpoint).list_functions()["Functions"]
    tables = {f.get("Environment", {}).get("Variables", {}).get("REMEMBRANCER_MEMORY", "") for f in functions}
    made = subprocess.run(
        [sys.executable, "-m", "remembrancer.cli", "token", "first", "--memory", max(tables), "--json"],
        cwd=ROOT,
        env=emulator.environ(system.home, system.port, system.api_port),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return str(json.loads(made.stdout)["token"])
