"""Time of recall and inject as a space grows.

Only time is measured: texts are random words, and vectors come from a seeded generator, not from a model.
`own` is what the handler itself takes: the processor time of its threads without what was spent inside a request
to a backend or the embedder. On an idle machine it is the time beside the waits; on a busy one only it stays true.
"""

import random
import threading
import time
import zlib
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from remembrancer.adapters.opensearch.client import Client
from remembrancer.core.catalogue import PageHead
from remembrancer.core.statistics import Tally
from remembrancer.core.units import Unit
from remembrancer.ports import Embedded, Vector
from tests.bench.probe import attach
from tests.bench.report import Bar, p50, p95
from tests.bench.retrieval import say
from tests.system import System

FEW = 3
"""Units of a small space in the same index: a search there must find them among all others."""
SIZES = (1_000, 10_000, 100_000)
BARS = (
    Bar("inject_own_p50_ms_10000", 25, 10, at_most=True),
    Bar("inject_p50_ratio_100000_1000", 2.0, 1.3, at_most=True),
    Bar("few_found", FEW, FEW),
)
PASSAGES = 50
CHUNK = 500
ASKED = 40
WARM = 5
REST_S = 1_800
DIMENSION = 384
SYLLABLES = ("ba", "co", "di", "fu", "ga", "hel", "ji", "kor", "lam", "mi", "nor", "pe", "qui", "rat", "sol", "ti")


class Generated:
    """Unit vectors from a seeded generator: a text has the vector that its checksum gives."""

    def __init__(self, identity: str) -> None:
        self.identity = identity
        self.dimension = DIMENSION

    def embed(self, texts: Sequence[str], kind: str) -> list[Vector]:
        return [_vector(np.random.default_rng(zlib.crc32(text.encode()))) for text in texts]


def _vector(generator: np.random.Generator) -> Vector:
    values = generator.standard_normal(DIMENSION).astype(np.float32)
    return array("f", (values / np.linalg.norm(values)).tobytes())


def _words(chance: random.Random) -> str:
    """A sentence whose words are as unevenly frequent as those of a language."""
    numbers = [int(2_000 ** chance.random()) for _ in range(18)]
    return " ".join("".join(SYLLABLES[n // 16**p % 16] for p in range(3)) for n in numbers)


def _pages(space: str, first: int, last: int) -> Iterator[tuple[PageHead, list[Embedded]]]:
    chance, generator = random.Random(first), np.random.default_rng(first)
    for number in range(first // PASSAGES, last // PASSAGES):
        head = PageHead(slug=f"made/p{number}", rev=1, indexed_rev=1, units=PASSAGES, fresh_ms=1_700_000_000_000)
        texts = [_words(chance) for _ in range(PASSAGES)]
        units = []
        for place, text in enumerate(texts):
            ctx = " ".join(texts[max(0, place - 2) : place + 3])
            unit = Unit("passage", head.slug, place, 1, text, text, ctx, text, group=head.slug, words=18)
            units.append(Embedded(unit, _vector(generator), _vector(generator)))
        yield head, units


def _fill(system: System, first: int, last: int, tally: Tally) -> None:
    """Passages `first` to `last`, with their pages in the catalogue, so that every hit is held against it.

    The words that are common in the space are known, as maintenance would have them.
    """
    wired, waiting = system.wiring, list[Embedded]()
    for head, units in _pages(system.space, first, last):
        wired.catalogue.put(system.space, head, over=None)
        for one in units:
            tally.add(one.unit.shown)
        waiting += units
        if len(waiting) >= CHUNK:
            _put(system, waiting)
            waiting = []
    _put(system, waiting)
    wired.index.refresh()
    wired.spaces.update(system.space, {"common": list(tally.common())})
    _rest(system)


def _rest(system: System) -> None:
    """Wait until a server has merged what it was given: a space grows in weeks, not in minutes."""
    if not system.wiring.settings.search.startswith("http"):
        return
    server, end = Client(system.wiring.settings.search), time.monotonic() + REST_S
    while server.call("GET", "/_stats/merge")["_all"]["total"]["merges"]["current"]:
        if time.monotonic() > end:
            raise RuntimeError(f"the server still merges after {REST_S} s")
        time.sleep(1)
    server.close()


def _put(system: System, units: Sequence[Embedded]) -> None:
    if failed := system.wiring.index.put(system.space, units):
        raise RuntimeError(f"{len(failed)} documents were not indexed")


def _few(system: System) -> int:
    """How many of its three units a small space gets for words and a vector that the large one has closer."""
    small = system.fresh_space()
    text = _words(random.Random(1))
    for number in range(FEW):
        head = PageHead(slug=f"few/p{number}", rev=1, indexed_rev=1, units=1, fresh_ms=1_700_000_000_000)
        small.wiring.catalogue.put(small.space, head, over=None)
        unit = Unit("passage", head.slug, 0, 1, text, text, text, text, group=head.slug, words=18)
        vector = _vector(np.random.default_rng(number))
        if small.wiring.index.put(small.space, [Embedded(unit, vector, vector)]):
            raise RuntimeError("a document was not indexed")
    small.wiring.index.refresh()
    return len(small.post("recall", {"query": text})["results"])


def run(system: System, sizes: Sequence[int]) -> tuple[dict[str, float], dict[str, Any]]:
    """Times at each size of one space that grows, and their ratios."""
    system.wiring.__dict__["embedder"] = Generated("generated 1")
    probe = attach(system)
    figures: dict[str, float] = {}
    held, tally = 0, Tally()
    for size in sizes:
        begun = time.perf_counter()
        _fill(system, held, size, tally)
        probe.written.clear()
        held = size
        say(f"{size} passages after {time.perf_counter() - begun:.1f} s more")
        chance = random.Random(-size)
        for verb in ("recall", "inject"):
            whole, own, beside = [], [], []
            for number in range(WARM + ASKED):
                body = _body(verb, f"{size}-{number}", _words(chance))
                probe.waits.clear()
                begun, worked = time.perf_counter(), cpu_seconds()
                system.post(verb, body)
                took, worked = time.perf_counter() - begun, cpu_seconds() - worked
                if number >= WARM:
                    whole.append(took)
                    own.append(worked - sum(wait.cpu for wait in probe.waits))
                    beside.append(took - probe.seconds())
            figures[f"{verb}_p50_ms_{size}"] = p50(whole)
            figures[f"{verb}_p95_ms_{size}"] = p95(whole)
            figures[f"{verb}_own_p50_ms_{size}"] = p50(own)
            figures[f"{verb}_beside_waits_p50_ms_{size}"] = p50(beside)
            say(f"{verb}: p50 {p50(whole)} ms, own {p50(own)} ms")
    figures["few_found"] = _few(system)
    small = min(sizes)
    for verb in ("recall", "inject"):
        for size in sizes[1:]:
            ratio = figures[f"{verb}_p50_ms_{size}"] / figures[f"{verb}_p50_ms_{small}"]
            figures[f"{verb}_p50_ratio_{size}_{small}"] = round(ratio, 3)
    return figures, {"texts": "random words", "vectors": "seeded generator, no model", "questions": ASKED}


def cpu_seconds() -> float:
    """Processor time of this process's Python threads; those of a numeric library are not among them."""
    clocks = [time.pthread_getcpuclockid(thread.ident) for thread in threading.enumerate() if thread.ident]
    return sum(map(time.clock_gettime, clocks))


def _body(verb: str, name: str, text: str) -> dict[str, Any]:
    if verb == "recall":
        return {"query": text}
    return {"session_id": f"s{name}", "turn_id": "t1", "message": text}
