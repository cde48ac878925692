"""The CDK app: `python -m infra.app [--out DIR] [-c key=value …]`, or through the CDK's own command line."""

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aws_cdk import App

from infra import nag
from infra.options import read
from infra.stack import Remembrancer

FLAGS = {"@aws-cdk/aws-iam:minimizePolicies": True}


def synth(context: Mapping[str, Any], out: Path | None = None) -> Path:
    """Write the templates and assets of every tenant that the context names; the folder of them."""
    options = read(context)
    app = App(outdir=str(out) if out else None, context={**FLAGS, **context}, analytics_reporting=False)
    for chosen in options:
        stack = Remembrancer(app, chosen)
        if not chosen.local:
            nag.acknowledge(stack)
    if not all(chosen.local for chosen in options):
        nag.check(app)
    return Path(app.synth().directory)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and the context that the CDK's own command line gives in the environment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder to write to, default build/cdk.out")
    parser.add_argument("-c", "--context", action="append", default=[], metavar="KEY=VALUE")
    chosen = parser.parse_args(arguments)
    given = dict(pair.split("=", 1) for pair in chosen.context)
    default = None if "CDK_OUTDIR" in os.environ else Path(__file__).parents[1] / "build" / "cdk.out"
    context = {**json.loads(os.environ.get("CDK_CONTEXT_JSON", "{}")), **given}
    try:
        print(synth(context, chosen.out or default))
    except (ValueError, FileNotFoundError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
