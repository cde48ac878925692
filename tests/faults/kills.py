"""Death at a call: the hooks of the real clients end, or put to sleep, the one function that is the victim."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from itertools import count
from threading import Event, Lock
from typing import Any
from unittest.mock import patch

from remembrancer import aws
from remembrancer.adapters.system_clock import SystemClock
from remembrancer.ports import Embedder, Vector
from remembrancer.wiring import Wiring

SLEEP_S = 60
victim: "ContextVar[Victim | None]" = ContextVar("victim", default=None)
ahead: "ContextVar[Ahead | None]" = ContextVar("ahead", default=None)


class Killed(BaseException):
    """The machine of a function is gone. No `except Exception` of the product stops it."""


@dataclass
class Victim:
    """One execution of a function. It dies before or after a call: at its point number `at`, if it gets there."""

    at: int | None = None
    sleeps: bool = False
    reached: int = 0
    dead: bool = False
    asleep: Event = field(default_factory=Event)
    wake: Event = field(default_factory=Event)
    place: str = ""

    def reach(self, place: str) -> None:
        """One point. Whoever is dead stays dead: no `finally` of the product reaches a backend any more."""
        if self.dead:
            raise Killed(self.place)
        self.reached += 1
        if self.at is None or self.reached != self.at:
            return
        self.place = place
        if self.sleeps:
            self.asleep.set()
            self.wake.wait(SLEEP_S)
        else:
            self.dead = True
            raise Killed(place)


@dataclass(frozen=True)
class PageWrite:
    """One object that S3 took: when, under which fence, and the version that it became."""

    at: int
    key: str
    run: str
    fence: int
    version: str
    etag: str


@dataclass
class Log:
    """What the backends took: page writes, leases given, versions that the catalogue names."""

    ticks: Iterator[int] = field(default_factory=count)
    lock: Lock = field(default_factory=Lock)
    writes: list[PageWrite] = field(default_factory=list)
    fences: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    named: dict[str, int] = field(default_factory=dict)
    """When the catalogue first named a version."""

    def took(self, operation: str, request: dict[str, Any], reply: dict[str, Any]) -> None:
        """Note one request that succeeded."""
        with self.lock:
            at = next(self.ticks)
            if operation == "PutObject":
                told = request["Metadata"]
                key, version, etag = request["Key"], reply["VersionId"], reply["ETag"]
                self.writes.append(PageWrite(at, key, told.get("run", ""), int(told["fence"]), version, etag))
            elif operation == "UpdateItem" and request["Key"].get("sk") == {"S": "LEASE"}:
                fence = int(reply["Attributes"]["fence"]["N"])
                self.fences.setdefault(request["Key"]["pk"]["S"][2:], []).append((at, fence))
            elif operation == "TransactWriteItems":
                items = [write["Put"]["Item"] for write in request["TransactItems"] if "Put" in write]
                for item in items:
                    if item["pk"]["S"].endswith("#PAGES") and "version" in item:
                        self.named.setdefault(item["version"]["S"], at)

    def shared(self, space: str) -> list[str]:
        """Pages written by two holders of one fence, and stale writes that the catalogue took.

        A page that is put back after a stale write is written as it was, fence and all: that changes nothing.
        """
        mine = [w for w in self.writes if w.fence and w.key.startswith(f"spaces/{space}/")]
        owners: dict[int, set[str]] = {}
        for write in mine:
            owners.setdefault(write.fence, set()).add(write.run)
        found = [f"fence {fence}: {sorted(runs)}" for fence, runs in owners.items() if len(runs) > 1]
        for write in mine:
            newest = max((fence for at, fence in self.fences.get(space, []) if at < write.at), default=0)
            if write.fence < newest and write.version in self.named and write.etag != self._before(write):
                found.append(f"{write.key} under {write.fence} although {newest} had been given")
        return found

    def _before(self, write: PageWrite) -> str:
        """What the catalogue had of the page when this was written."""
        mine = [w for w in self.writes if w.key == write.key and self.named.get(w.version, write.at) < write.at]
        return max(mine, key=lambda w: self.named[w.version]).etag if mine else ""


class Remembering:
    """The real embedder, which is asked once for each text: a page is embedded again whenever it changes."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[tuple[str, str], Vector] = {}
        self.identity, self.dimension = inner.identity, inner.dimension

    def embed(self, texts: Sequence[str], kind: str) -> list[Vector]:
        """As the real one."""
        if new := [text for text in dict.fromkeys(texts) if (kind, text) not in self._known]:
            self._known |= {(kind, text): v for text, v in zip(new, self._inner.embed(new, kind), strict=True)}
        return [self._known[kind, text] for text in texts]


class Watched:
    """An adapter that is no client of AWS, with the same points before and after its calls."""

    def __init__(self, inner: Any, name: str) -> None:
        self._inner, self._name = inner, name

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            _point(f"before {self._name}.{name}")
            result = found(*args, **kwargs)
            _point(f"after {self._name}.{name}")
            return result

        return call


@dataclass
class Ahead:
    """How far the time of one space is ahead of the others."""

    ms: int = 0


class OwnTime(SystemClock):
    """The machine's clock, moved on for whoever works in a space that is ahead."""

    def now_ms(self) -> int:
        own = ahead.get()
        return super().now_ms() + (own.ms if own else 0)


@contextmanager
def armed(wired: Wiring) -> Iterator[Log]:
    """Hooks in the clients of AWS, in the index and in the embedder; threads of a pool belong to who made it."""
    log = Log()
    for name in wired.__dict__.keys() - {"settings", "events"}:
        del wired.__dict__[name]
    wired.__dict__["clock"] = OwnTime()
    wired.__dict__["embedder"] = Watched(Remembering(wired.embedder), "embedder")
    wired.__dict__["index"] = Watched(wired.index, "index")
    clients = [aws.client(service) for service in ("dynamodb", "s3")]

    def build(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        context["given"] = dict(params)

    def before(model: Any, **_: Any) -> None:
        _point(f"before {model.name}")

    def after(model: Any, parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        if parsed["ResponseMetadata"]["HTTPStatusCode"] < 300:
            log.took(model.name, context["given"], parsed)
        try:
            _point(f"after {model.name}")
        except Killed:
            if "Body" in parsed:
                parsed["Body"].close()
            raise

    hooks = {"before-parameter-build": build, "before-call": before, "after-call": after}
    for client in clients:
        for event, hook in hooks.items():
            client.meta.events.register(event, hook)
    try:
        with patch.object(ThreadPoolExecutor, "submit", _carried(ThreadPoolExecutor.submit)):
            yield log
    finally:
        for client in clients:
            for event, hook in hooks.items():
                client.meta.events.unregister(event, hook)


def _point(place: str) -> None:
    if (one := victim.get()) is not None:
        one.reach(place)


def _carried(submit: Callable[..., Future[Any]]) -> Callable[..., Future[Any]]:
    def carrying(pool: ThreadPoolExecutor, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return submit(pool, copy_context().run, work, *args, **kwargs)

    return carrying
