"""Run a measurement from the command line, apart from what the functions log meanwhile."""

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

Result = dict[str, Any]


def run(options: argparse.Namespace, show: Callable[[Result], None]) -> int:
    """0 when every floor of `options.run` is met, 1 when one is missed, 2 when it could not run."""
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
            result: Result = options.run(options)
    except Exception as error:
        traceback.print_exc()
        sys.stderr.write(f"could not run: {type(error).__name__}: {error}\n")
        return 2
    if options.json:
        print(json.dumps(result))
    else:
        show(result)
    return 0 if result["met"] else 1


def figures(result: Result) -> None:
    """Print all that was measured."""
    print(json.dumps({**result["figures"], **result["detail"]}, indent=1))
