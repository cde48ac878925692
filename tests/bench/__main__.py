"""`uv run python -m tests.bench NAME`: measurements, with the bars they are held to."""

import argparse
import json
import os
import platform
import sys
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests import embedder
from tests.bench import conversation, locomo, retrieval
from tests.opensearch import node
from tests.system import running


def report(
    name: str,
    figures: dict[str, float],
    floors: dict[str, tuple[float, float]],
    detail: Any,
    *,
    smaller_is_better: bool = False,
) -> dict[str, Any]:
    """The one object that `--json` prints."""

    def met(value: float, floor: float) -> bool:
        return value <= floor if smaller_is_better else value >= floor

    bars = [
        {"figure": key, "value": figures[key], "floor": floor, "goal": goal, "met": met(figures[key], floor)}
        for key, (floor, goal) in floors.items()
        if key in figures
    ]
    where = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    return {
        "bench": name,
        "figures": figures,
        "bars": bars,
        "met": all(bar["met"] for bar in bars),
        "environment": where,
        "detail": detail,
    }


def _retrieval(options: argparse.Namespace) -> dict[str, Any]:
    dialogues = locomo.read(options.data)[: options.dialogues]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        if options.index == "sqlite":
            search = f"sqlite://{folder}/index.sqlite"
        elif options.index == "local":
            started = node.start(folder / "opensearch")
            stack.callback(node.stop, started)
            search = f"{started.url}?prefix=bench"
        else:
            search = options.index
        system = stack.enter_context(running(embedder.built(), search))
        figures, detail = retrieval.run(system, dialogues)
    return report("retrieval", figures, retrieval.FLOORS, {**detail, "index": options.index})


def _conversation(options: argparse.Namespace) -> dict[str, Any]:
    with TemporaryDirectory() as folder, running(embedder.built(), f"sqlite://{folder}/index.sqlite") as system:
        if options.write:
            conversation.write(system.fresh_space())
        figures, detail = conversation.run(system)
    return report("conversation", figures, conversation.CEILINGS, detail, smaller_is_better=True)


def main() -> int:
    """0 when every floor is met, 1 when one is missed, 2 when it could not run."""
    parser = argparse.ArgumentParser(prog="tests.bench", description=__doc__)
    benches = parser.add_subparsers(dest="name", required=True)
    one = benches.add_parser("retrieval", help="evidence recall on dialogues in the LoCoMo layout")
    one.add_argument("--data", type=Path, required=True)
    one.add_argument(
        "--index", default="sqlite", help="sqlite, local (starts the node of tests/opensearch), or a URL"
    )
    one.add_argument("--dialogues", type=int, default=None, help="only the first N")
    one.add_argument("--json", action="store_true")
    one.set_defaults(run=_retrieval)
    two = benches.add_parser("conversation", help="bytes of a scripted conversation against a block every turn")
    two.add_argument("--json", action="store_true")
    two.add_argument("--write", action="store_true", help="keep the transcript as the expected one")
    two.set_defaults(run=_conversation)
    options = parser.parse_args()
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):  # logs of the functions
            result = options.run(options)
    except OSError as error:
        sys.stderr.write(f"could not run: {error}\n")
        return 2
    if options.json:
        print(json.dumps(result))
    else:
        for bar in result["bars"]:
            print(f"{bar['figure']:<16} {bar['value']:.3f}  floor {bar['floor']:.3f}  {bar['met']}")
        print(json.dumps({**result["figures"], **result["detail"]}, indent=1))
    return 0 if result["met"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
