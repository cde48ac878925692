"""Work of one call: requests to each backend, counted where the adapters send them, in a process that is warm."""

from typing import Any

from remembrancer.core.pages import parse
from remembrancer.parts.heads import recent_head
from remembrancer.parts.indexing import index_now
from remembrancer.parts.pagewrite import write_page
from tests.bench.probe import Probe, attach
from tests.bench.report import Bar
from tests.system import System

BARS = (
    Bar("calls_remember_dynamodb", 1, 1, at_most=True),
    Bar("calls_inject_search", 1, 1, at_most=True),
    Bar("calls_inject_s3", 0, 0, at_most=True),
    Bar("calls_inject_sequential", 5, 5, at_most=True),
    Bar("calls_recall_search", 1, 1, at_most=True),
    Bar("calls_recall_dynamodb", 1, 1, at_most=True),
    Bar("calls_page_write_s3", 1, 1, at_most=True),
    Bar("calls_page_write_dynamodb", 1, 1, at_most=True),
    Bar("calls_page_write_bulk", 1, 1, at_most=True),
)
DELAY_S = 0.05
KINDS = ("dynamodb", "s3", "search", "bulk", "index")
FACTS = ("Rachel takes oat milk in her coffee.", "The boiler was serviced in May.", "Tom is allergic to walnuts.")
PAGE = (
    "---\ntitle: {0}\n---\n\n# {0}\n\n- The filter is changed every {1} weeks.\n- It stands beside the window.\n"
)


def _page(title: str, weeks: int) -> str:
    return PAGE.format(title, weeks)


def _put(system: System, slug: str, title: str, weeks: int) -> None:
    reply = system.call("PUT", f"/v1/memory/pages/{slug}", {"markdown": _page(title, weeks)})
    if reply.status >= 300:
        raise RuntimeError(reply.text)


def _turn(number: int, mode: str = "turn") -> dict[str, Any]:
    message = ("How does Rachel take her coffee?", "When was the boiler serviced, and the filter?")[number % 2]
    return {"session_id": "bench", "turn_id": f"t{number}", "mode": mode, "message": message}


def run(system: System) -> tuple[dict[str, float], dict[str, Any]]:
    """Counts by call, and what was requested in order."""
    probe = attach(system)
    probe.delay_s = DELAY_S
    figures: dict[str, float] = {}
    order: dict[str, list[str]] = {}

    def note(name: str) -> None:
        figures.update({f"calls_{name}_{kind}": probe.count(kind) for kind in KINDS})
        figures[f"calls_{name}_sequential"] = probe.sequential()
        begun = sorted(probe.waits, key=lambda wait: wait.begun)
        order[name] = [f"{wait.kind} {wait.name}" for wait in begun]

    system.post("remember", {"content": list(FACTS)})
    _put(system, "house/filter", "Filter", 3)
    system.pump()
    system.post("inject", _turn(0, "full"))
    system.post("recall", {"query": "coffee"})
    _clear(system, probe)
    system.post("remember", {"content": "The spare key hangs in the hall."})
    note("remember")
    _clear(system, probe)
    system.post("inject", _turn(1))
    note("inject")
    _clear(system, probe)
    system.post("recall", {"query": "Who changes the filter beside the window?"})
    note("recall")
    _clear(system, probe)
    _write(system)
    note("page_write")
    _clear(system, probe)
    _put(system, "house/filter", "Filter", 5)
    note("put_page")
    return figures, {"order": order}


def _clear(system: System, probe: Probe) -> None:
    """Start counting with the space's head at hand, as in a process that is warm."""
    recent_head(system.wiring, system.space)
    probe.waits.clear()


def _write(system: System) -> None:
    """The write and the indexing of a new page, without the checks of the route."""
    slug, raw = "house/kettle", _page("Kettle", 4).encode()
    head = write_page(system.wiring, system.space, slug, raw, head=None)
    if not index_now(system.wiring, system.space, parse(slug, raw), head, before=0, forgotten=frozenset()):
        raise RuntimeError("the page was not indexed")
