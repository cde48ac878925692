"""What a call waits for: every request to DynamoDB and S3, to the index and to the embedder, with its time."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from remembrancer import aws
from remembrancer.ports import Embedded, Found, Search
from tests.system import System


@dataclass(frozen=True)
class Wait:
    """One request: `kind` is dynamodb, s3, search, bulk, index (any other request to it) or embedder.

    `cpu` is the processor time that its thread spent inside, as with an index or an embedder in this process.
    """

    kind: str
    name: str
    begun: float
    ended: float
    cpu: float = 0.0


@dataclass
class Probe:
    """Collects waits, the last search with what it found, and the units written to the index.

    `delay_s` makes every request slower, so that two which do not wait for each other do overlap.
    """

    waits: list[Wait] = field(default_factory=list)
    searched: tuple[Search, Found] | None = None
    written: list[tuple[str, Embedded]] = field(default_factory=list)
    delay_s: float = 0.0

    def count(self, *kinds: str) -> int:
        """How many requests of these kinds."""
        return sum(wait.kind in kinds for wait in self.waits)

    def seconds(self, *kinds: str) -> float:
        """Time with at least one wait of these kinds; of all when none is named."""
        total, until = 0.0, 0.0
        for wait in sorted(self.waits, key=lambda wait: wait.begun):
            if not kinds or wait.kind in kinds:
                total += max(0.0, wait.ended - max(wait.begun, until))
                until = max(until, wait.ended)
        return total

    def sequential(self) -> int:
        """The longest chain of requests to backends that do not overlap: round trips one after another."""
        chain, until = 0, 0.0
        for wait in sorted(self.waits, key=lambda wait: wait.ended):
            if wait.kind != "embedder" and wait.begun >= until:
                chain, until = chain + 1, wait.ended
        return chain

    @contextmanager
    def wait(self, kind: str, name: str) -> Iterator[None]:
        """Note one request."""
        begun, cpu = time.perf_counter(), time.thread_time()
        if self.delay_s:
            time.sleep(self.delay_s)
        try:
            yield
        finally:
            self.waits.append(Wait(kind, name, begun, time.perf_counter(), time.thread_time() - cpu))


class _Embedder:
    def __init__(self, inner: Any, probe: Probe) -> None:
        self._inner, self._probe = inner, probe
        self.identity, self.dimension = inner.identity, inner.dimension

    def embed(self, texts: Sequence[str], kind: str) -> Any:
        with self._probe.wait("embedder", kind):
            return self._inner.embed(texts, kind)


class _Index:
    """The index with its searches and writes noted; requests to a server are noted where their bytes are sent."""

    def __init__(self, inner: Any, probe: Probe) -> None:
        self._inner, self._probe = inner, probe
        self._client = getattr(inner, "_client", None)
        if self._client is not None:
            [connection] = self._client._client.transport.connection_pool.connections
            send = connection.pool.urlopen

            def urlopen(method: str, url: str, *arguments: Any, **named: Any) -> Any:
                path = url.partition("?")[0]
                kind = {"_msearch": "search", "_bulk": "bulk"}.get(path.rsplit("/", 1)[-1], "index")
                with probe.wait(kind, path):
                    return send(method, url, *arguments, **named)

            connection.pool.urlopen = urlopen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def search(self, search: Search) -> Found:
        if self._client is None:
            with self._probe.wait("search", "search"):
                found: Found = self._inner.search(search)
        else:
            found = self._inner.search(search)
        self._probe.searched = search, found
        return found

    def put(self, space: str, units: Sequence[Embedded], **named: Any) -> Any:
        self._probe.written += [(space, unit) for unit in units]
        if self._client is not None:
            return self._inner.put(space, units, **named)
        with self._probe.wait("bulk", "put"):
            return self._inner.put(space, units, **named)


def attach(system: System) -> Probe:
    """Put a probe between a system and everything behind it, for the rest of its life."""
    probe = Probe()
    for service in ("dynamodb", "s3"):
        _listen(aws.client(service), service, probe)
    wired = system.wiring
    wired.__dict__["embedder"] = _Embedder(wired.embedder, probe)
    wired.__dict__["index"] = _Index(wired.index, probe)
    return probe


def _listen(client: Any, service: str, probe: Probe) -> None:
    """A wait is from the bytes of a request to those of its answer: to make and to read them is our own work."""
    names: dict[int, str] = {}
    session = client._endpoint.http_session
    exchange = session.send

    def before(event_name: str, **named: Any) -> None:
        names[threading.get_ident()] = event_name.rsplit(".", 1)[-1]

    def send(request: Any) -> Any:
        with probe.wait(service, names[threading.get_ident()]):
            return exchange(request)

    client.meta.events.register(f"before-send.{service}", before)
    session.send = send
