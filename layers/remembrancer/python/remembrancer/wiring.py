"""Settings to ports: the only place that chooses. Adapters are named by string and imported on first use."""

from functools import cache, cached_property
from importlib import import_module
from typing import Any, cast
from urllib.parse import urlsplit

from remembrancer import ports, settings
from remembrancer.core.units import FORM
from remembrancer.errors import RemembrancerError

ADAPTERS = {
    ("clock", "system"): "remembrancer.adapters.system_clock:SystemClock",
    ("embedder", "onnx"): "remembrancer.adapters.onnx:OnnxEmbedder",
    ("events", "aws"): "remembrancer.adapters.aws_events:AwsEvents",
    ("index", "http"): "remembrancer.adapters.opensearch:OpenSearchIndex",
    ("index", "https"): "remembrancer.adapters.opensearch:OpenSearchIndex",
    ("index", "sqlite"): "remembrancer.adapters.sqlite_index:SqliteIndex",
    ("memory", "dynamodb"): "remembrancer.adapters.dynamodb:Memory",
    ("expiring", "dynamodb"): "remembrancer.adapters.dynamodb:Expiring",
    ("pages", "s3"): "remembrancer.adapters.s3:S3Pages",
}


def adapter(port: str, url: str) -> Any:
    """The class behind a URL's scheme."""
    scheme = urlsplit(url).scheme
    try:
        module, name = ADAPTERS[port, scheme].split(":")
    except KeyError:
        known = ", ".join(sorted(s for p, s in ADAPTERS if p == port))
        raise RemembrancerError(f"no {port} adapter for '{scheme}://' (known: {known})") from None
    return getattr(import_module(module), name)


class Wiring:
    """One process's ports, each made when it is first asked for."""

    def __init__(self, chosen: settings.Settings) -> None:
        self.settings = chosen

    @cached_property
    def clock(self) -> ports.Clock:
        return cast(ports.Clock, adapter("clock", "system://")())

    @cached_property
    def _memory(self) -> Any:
        return adapter("memory", self.settings.memory)(self.settings.memory, self.clock, self.settings.tenant_zone)

    @cached_property
    def entries(self) -> ports.Entries:
        return cast(ports.Entries, self._memory.entries)

    @cached_property
    def catalogue(self) -> ports.Catalogue:
        return cast(ports.Catalogue, self._memory.catalogue)

    @cached_property
    def spaces(self) -> ports.Spaces:
        return cast(ports.Spaces, self._memory.spaces)

    @cached_property
    def leases(self) -> ports.Leases:
        return cast(ports.Leases, self._memory.leases)

    @cached_property
    def runs(self) -> ports.Runs:
        return cast(ports.Runs, self._memory.runs)

    @cached_property
    def tokens(self) -> ports.Tokens:
        return cast(ports.Tokens, self._memory.tokens)

    @cached_property
    def _expiring(self) -> Any:
        return adapter("expiring", self.settings.expiring)(self.settings.expiring, self.clock)

    @cached_property
    def sessions(self) -> ports.Sessions:
        return cast(ports.Sessions, self._expiring.sessions)

    @cached_property
    def selections(self) -> ports.Selections:
        return cast(ports.Selections, self._expiring.selections)

    @cached_property
    def pages(self) -> ports.Pages:
        return cast(ports.Pages, adapter("pages", self.settings.pages)(self.settings.pages))

    @cached_property
    def embedder(self) -> ports.Embedder:
        return cast(ports.Embedder, adapter("embedder", self.settings.embedder)(self.settings.embedder))

    @cached_property
    def index(self) -> ports.Index:
        url, identity = self.settings.search, f"{self.embedder.identity}:{FORM}"
        return cast(ports.Index, adapter("index", url)(url, identity, self.embedder.dimension))

    @cached_property
    def events(self) -> ports.Events:
        return cast(ports.Events, adapter("events", "aws://")(self.settings.consolidate, self.settings.bus))


@cache
def wiring() -> Wiring:
    """The wiring of this process, from its environment."""
    return Wiring(settings.load())
