"""`uv run python -m tests.faults consolidation`: what survives when functions die at random."""

import argparse
import json
import os
import sys
import traceback
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ["POWERTOOLS_LOG_LEVEL"] = "CRITICAL"

from tests import embedder
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


def main() -> int:
    """0 when nothing was lost, doubled, torn or shared, 1 when something was, 2 when it could not run."""
    options = _arguments().parse_args()
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):  # logs of the functions
            result = options.run(options)
    except Exception as error:
        traceback.print_exc()
        sys.stderr.write(f"could not run: {type(error).__name__}: {error}\n")
        return 2
    if options.json:
        print(json.dumps(result))
    else:
        print(json.dumps({**result["figures"], **result["detail"]}, indent=1))
    return 0 if result["met"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
