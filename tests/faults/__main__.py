"""`uv run python -m tests.faults consolidation`: what survives when functions die at random."""

import argparse
import os
from tempfile import TemporaryDirectory
from typing import Any

os.environ["POWERTOOLS_LOG_LEVEL"] = "CRITICAL"

from tests import embedder
from tests.bench import command
from tests.bench.report import report
from tests.faults import consolidation
from tests.system import running


def _consolidation(options: argparse.Namespace) -> dict[str, Any]:
    with TemporaryDirectory() as folder, running(embedder.built(), f"sqlite://{folder}/index.sqlite") as system:
        figures, detail = consolidation.run(system, kills=options.kills, seed=options.seed)
    return report("consolidation", figures, consolidation.BARS, detail)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.faults", description=__doc__)
    one = parser.add_subparsers(dest="name", required=True).add_parser(
        "consolidation", help="functions die between any two calls to a backend while others go on"
    )
    one.add_argument("--kills", type=int, default=1_000)
    one.add_argument("--seed", type=int, default=1, help="what is told, what dies, and at which call")
    one.add_argument("--json", action="store_true", help="one JSON object on stdout and nothing else")
    one.set_defaults(run=_consolidation)
    return parser


if __name__ == "__main__":
    raise SystemExit(command.run(_arguments().parse_args(), command.figures))
