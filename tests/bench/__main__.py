"""`uv run python -m tests.bench NAME`: measurements, with the bars they are held to."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests import embedder
from tests.bench import beir, calls, command, consolidation, conversation, locomo, retrieval, scale
from tests.bench.ablation import Ablation
from tests.bench.peers import measure, rival
from tests.bench.probe import attach
from tests.bench.report import p50, p95, report
from tests.bench.service import InProcess, OverHttp
from tests.opensearch import node
from tests.system import System, running


@contextmanager
def system(index: str) -> Iterator[System]:
    """The service in this process; the index in a file (sqlite), on a node of its own (local), or at a URL."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        if index == "sqlite":
            with running(embedder.built(), f"sqlite://{folder}/index.sqlite") as made:
                yield made
        elif index == "local":
            started = node.start(folder / "opensearch")
            try:
                with running(embedder.built(), f"{started.url}?prefix=bench") as made:
                    yield made
            finally:
                node.stop(started)
        else:
            with running(embedder.built(), index) as made:
                yield made


def _retrieval(options: argparse.Namespace) -> dict[str, Any]:
    if options.beir:
        return _beir(options)
    dialogues = locomo.read(options.data)[: options.dialogues]
    if not options.in_process:
        figures, bars, detail = retrieval.run(OverHttp(len(dialogues)), dialogues, after=not options.before)
        return report("retrieval", figures, bars, {**detail, "through": "HTTP"})
    with system(options.index) as made:
        service = InProcess(made, len(dialogues))
        ablation = None if options.no_ablation else Ablation(made.wiring, attach(made))
        figures, bars, detail = retrieval.run(service, dialogues, ablation, after=not options.before)
    detail |= {"through": "handlers", "index": options.index}
    if ablation is None:
        return report("retrieval", figures, bars, detail)
    sessions = retrieval.sessions_of(dialogues)
    stages = {name: {"p50_ms": p50(each), "p95_ms": p95(each)} for name, each in ablation.stages.items()}
    return report("retrieval", figures, bars, {**detail, "stages": stages, "ablation": ablation.table(sessions)})


def _beir(options: argparse.Namespace) -> dict[str, Any]:
    collection = beir.read(options.beir)
    with system(options.index) as made:
        probe = attach(made)
        figures, bars, detail = beir.run(InProcess(made, 1), collection, probe)
    return report("retrieval", figures, bars, {**detail, "through": "handlers", "index": options.index})


def _calls(options: argparse.Namespace) -> dict[str, Any]:
    with system(options.index) as made:
        figures, detail = calls.run(made)
    return report("calls", figures, calls.BARS, {**detail, "index": options.index})


def _scale(options: argparse.Namespace) -> dict[str, Any]:
    with system(options.index) as made:
        figures, detail = scale.run(made, sorted(options.sizes))
    return report("scale", figures, scale.BARS, {**detail, "index": options.index})


def _consolidation(options: argparse.Namespace) -> dict[str, Any]:
    with system(options.index) as made:
        figures, detail = consolidation.run(made, sorted(options.sizes))
    return report("consolidation", figures, consolidation.BARS, {**detail, "index": options.index})


def _conversation(options: argparse.Namespace) -> dict[str, Any]:
    with system(options.index) as made:
        if options.write:
            conversation.write(made.fresh_space())
        figures, detail = conversation.run(made)
    return report("conversation", figures, conversation.BARS, detail)


def _peers(options: argparse.Namespace) -> dict[str, Any]:
    dialogues = locomo.read(options.data)[: options.dialogues]
    absent = ""
    try:
        rival.install()
    except rival.Absent as error:
        absent = f"mem0 cannot be installed, its rows are left out: {error}"
        retrieval.say(absent)
    with system(options.index) as made:
        chosen = made.wiring.settings
        search = "" if chosen.search.startswith("sqlite:") else chosen.search
        with nullcontext() if absent else rival.running(search, chosen.embedder) as mem0:
            service = InProcess(made, measure.spaces(len(dialogues)))
            figures, bars, detail = measure.run(service, dialogues, mem0, same_store=bool(search))
    told = {"mem0_absent": absent} if absent else {}
    return report("peers", figures, bars, {**detail, **told, "index": options.index})


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.bench", description=__doc__)
    benches = parser.add_subparsers(dest="name", required=True)
    one = benches.add_parser("retrieval", help="evidence recall on dialogues in the LoCoMo layout")
    what = one.add_mutually_exclusive_group(required=True)
    what.add_argument("--data", type=Path, help="dialogues in the LoCoMo layout")
    what.add_argument("--beir", type=Path, help="a folder in the BEIR layout; always in this process")
    one.add_argument("--dialogues", type=int, default=None, help="only the first N")
    one.add_argument(
        "--in-process", action="store_true", help="through the same handlers, with time by stage and the ablation"
    )
    one.add_argument("--no-ablation", action="store_true", help="only the figures")
    one.add_argument("--before", action="store_true", help="only the figures before consolidation")
    one.set_defaults(run=_retrieval)
    benches.add_parser("calls", help="requests to the backends, by call").set_defaults(run=_calls)
    two = benches.add_parser("scale", help="time as a space grows")
    two.add_argument("--sizes", type=int, nargs="+", default=list(scale.SIZES), help="passages, smallest first")
    two.set_defaults(run=_scale)
    three = benches.add_parser("conversation", help="bytes of a scripted conversation against a block every turn")
    three.add_argument("--write", action="store_true", help="keep the transcript as the expected one")
    three.set_defaults(run=_conversation)
    four = benches.add_parser("consolidation", help="time and memory of a run as the active entries grow")
    four.add_argument("--sizes", type=int, nargs="+", default=list(consolidation.SIZES), help="smallest first")
    four.set_defaults(run=_consolidation)
    five = benches.add_parser(
        "peers", help="beside BM25, cosine, their fusion, and mem0 where it can be installed"
    )
    five.add_argument("--data", type=Path, required=True, help="dialogues in the LoCoMo layout")
    five.add_argument("--dialogues", type=int, default=None, help="only the first N")
    five.set_defaults(run=_peers)
    for each in benches.choices.values():
        each.add_argument("--index", default="sqlite", help="in this process: sqlite, local (a node), or a URL")
        each.add_argument("--json", action="store_true", help="one JSON object on stdout and nothing else")
    return parser


def _show(result: command.Result) -> None:
    for bar in result["bars"]:
        state = "met" if bar["met"] else "MISSED"
        print(f"{bar['figure']:<32} {bar['value']:>9.3f}  floor {bar['floor']:>9.3f}  {state}")
    command.figures(result)


if __name__ == "__main__":
    raise SystemExit(command.run(_arguments().parse_args(), _show))
