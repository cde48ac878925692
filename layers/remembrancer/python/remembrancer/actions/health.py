"""Is everything there that an answer needs?"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from remembrancer.errors import RemembrancerError
from remembrancer.ports import Ports

PROBE = "health-check"


def health(ports: Ports) -> tuple[bool, dict[str, str]]:
    """Whether the service is ready, and `ok` or what is wrong by part: table, bucket, index."""
    probes: dict[str, Callable[[], object]] = {
        "table": lambda: ports.spaces.head(PROBE),
        "bucket": lambda: ports.pages.read(PROBE, "schema.md"),
        "index": lambda: ports.index.count(PROBE),
    }
    with ThreadPoolExecutor(len(probes)) as pool:
        states = dict(zip(probes, pool.map(_state, probes.values()), strict=True))
    return all(state == "ok" for state in states.values()), states


def _state(probe: Callable[[], object]) -> str:
    try:
        probe()
    except RemembrancerError as error:
        return error.message
    return "ok"
