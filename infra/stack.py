"""One tenant: its parts, its functions, and what each of them may do."""

import tomllib
from dataclasses import dataclass

from aws_cdk import CfnOutput, Stack, Tags
from aws_cdk import aws_events as events
from constructs import Construct

from infra.alarms import Alarms
from infra.api import Api
from infra.consolidation import Consolidation, Machine
from infra.function import ROOT, Function
from infra.indexing import Indexing
from infra.layers import Layers
from infra.options import Options
from infra.search import Search
from infra.storage import Storage

HTTP_S = 29
TASK_S = 840


@dataclass(frozen=True)
class Needs:
    """What a function may do, and how much of a machine it gets."""

    rights: str
    seconds: int = HTTP_S
    memory_mb: int = 512
    embeds: bool = False
    """Reads the model's folder: it embeds, or it opens the index, which belongs to one model."""
    asynchronous: bool = False


READS = "memory:read"
WRITES = "memory:read memory:write"
CALLED = "tokens:read"
POSTED = "tokens:read idempotency"
PAGES = "pages:read pages:write"
INDEX = "search:read search:write"
NEEDS = {
    "remember": Needs(f"{POSTED} {WRITES}", memory_mb=1024),
    "ingest": Needs(f"{POSTED} {WRITES} {PAGES} {INDEX}", memory_mb=1769, embeds=True),
    "inject": Needs(f"{POSTED} {READS} sessions pages:read search:read", memory_mb=1769, embeds=True),
    "recall": Needs(f"{POSTED} {READS} pages:read search:read", memory_mb=1769, embeds=True),
    "stats": Needs(f"{CALLED} {READS} search:read", embeds=True),
    "entries": Needs(f"{CALLED} {READS}"),
    "pages": Needs(f"{CALLED} {WRITES} {PAGES} {INDEX}", memory_mb=1769, embeds=True),
    "consolidation": Needs(f"{POSTED} {READS} runs:start runs:look"),
    "tokens": Needs(f"{POSTED} tokens:write"),
    "health": Needs(f"{READS} pages:read search:read", embeds=True),
    "index_pages": Needs(f"{WRITES} {PAGES} {INDEX}", seconds=120, memory_mb=1769, embeds=True),
    "index_entries": Needs(f"{READS} spaces:write bus:put {INDEX}", seconds=120, memory_mb=1769, embeds=True),
    "due": Needs(f"{WRITES} spaces:read runs:start", seconds=300, asynchronous=True),
    "gate": Needs(f"{WRITES} runs:look", seconds=TASK_S),
    "plan": Needs(f"{WRITES} {PAGES} search:read", seconds=TASK_S, memory_mb=1769, embeds=True),
    "file": Needs(f"{WRITES} {PAGES} {INDEX}", seconds=TASK_S, memory_mb=1769, embeds=True),
    "settle": Needs(f"{WRITES} {PAGES}", seconds=TASK_S),
    "views": Needs(f"{WRITES} {PAGES}", seconds=TASK_S, memory_mb=1024),
    "maintain": Needs(f"{WRITES} {PAGES} {INDEX}", seconds=TASK_S, memory_mb=1769, embeds=True),
    "release": Needs(f"{WRITES}", seconds=TASK_S),
}
"""Every function by its folder."""


class Remembrancer(Stack):
    """The stack of a tenant; no name of it is another tenant's."""

    def __init__(self, scope: Construct, options: Options) -> None:
        name = f"remembrancer-{options.tenant}"
        super().__init__(scope, name, stack_name=name, termination_protection=not options.local)
        Tags.of(self).add("tenant", options.tenant)
        self.options = options
        self.storage = Storage(self, "Storage", options)
        self.search = Search(self, "Search", options, self.storage.key)
        self.bus = events.EventBus(self, "Bus", event_bus_name=options.name("bus"))
        self.names = Machine(self, options)
        self.functions = self._functions()
        self.api = Api(self, "Api", options, self.functions)
        self.indexing = Indexing(
            self,
            "Indexing",
            options,
            self.storage,
            pages=self.functions["index_pages"],
            entries=self.functions["index_entries"],
        )
        self.consolidation = Consolidation(self, "Consolidation", options, self.names, self.bus, self.functions)
        self._alarms()
        self._outputs()

    def _functions(self) -> dict[str, Function]:
        layers = None if self.options.local else Layers(self, "Layers", self.options)
        environment = self._environment()
        made = {}
        for folder, needs in NEEDS.items():
            chosen = [] if layers is None else layers.embedding if needs.embeds else layers.basic
            made[folder] = Function(
                self,
                folder,
                self.options,
                memory_mb=needs.memory_mb,
                seconds=needs.seconds,
                environment=environment,
                layers=chosen,
                asynchronous=needs.asynchronous,
            )
            for right in needs.rights.split():
                self._grant(made[folder], right)
        return made

    def _grant(self, function: Function, right: str) -> None:
        match right.partition(":")[0]:
            case "search":
                self.search.grant(function, right)
            case "runs":
                self.names.grant(function, right)
            case "bus":
                function.allow(["events:PutEvents"], self.bus.event_bus_arn)
            case _:
                self.storage.grant(function, right)

    def _environment(self) -> dict[str, str]:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        settings = {
            "TENANT": self.options.tenant,
            "MEMORY": f"dynamodb://{self.storage.memory.table_name}",
            "EXPIRING": f"dynamodb://{self.storage.expiring.table_name}",
            "PAGES": f"s3://{self.storage.bucket.bucket_name}",
            "SEARCH": self.search.url,
            "EMBEDDER": "onnx:///opt/embedder",
            "CONSOLIDATE": self.names.arn,
            "BUS": self.bus.event_bus_name,
            "TENANT_ZONE": self.options.zone,
            "VERSION": project["version"],
        }
        prefixed = {f"REMEMBRANCER_{name}": value for name, value in settings.items()}
        return {**prefixed, "POWERTOOLS_METRICS_NAMESPACE": "Remembrancer"}

    def _alarms(self) -> None:
        alarms = Alarms(self, "Alarms", self.options)
        due = self.functions["due"].lost
        assert due is not None
        alarms.api(self.api.http.api_id, self.functions)
        alarms.consolidation(self.consolidation.machine)
        alarms.indexing(self.indexing.queue, self.functions["index_entries"], [*self.indexing.lost, due])
        if self.search.domain is not None:
            alarms.domain(f"remembrancer-{self.options.tenant}", self.options.search_storage_gb)
        alarms.dashboard()

    def _outputs(self) -> None:
        found = {
            "ApiUrl": self.api.url,
            "MemoryTable": self.storage.memory.table_name,
            "ExpiringTable": self.storage.expiring.table_name,
            "Bucket": self.storage.bucket.bucket_name,
            "Key": self.storage.key.key_arn,
            "SearchUrl": self.search.url,
            "StateMachineArn": self.consolidation.machine.state_machine_arn,
            "Bus": self.bus.event_bus_name,
        }
        for name, value in found.items():
            CfnOutput(self, name, value=value)
