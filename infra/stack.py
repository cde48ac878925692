"""One tenant: its parts, its functions, and the rights that each of them gets."""

import tomllib

from aws_cdk import CfnOutput, Stack, Tags
from aws_cdk import aws_events as events
from constructs import Construct

from infra.alarms import Alarms
from infra.api import Api
from infra.consolidation import Consolidation, Machine
from infra.function import ROOT, Function
from infra.grants import grant
from infra.indexing import Indexing
from infra.layers import Layers
from infra.needs import NEEDS
from infra.options import Options
from infra.schedules import Schedules
from infra.search import Search
from infra.storage import Storage


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
        indexers = self.functions["index_pages"], self.functions["index_entries"]
        self.indexing = Indexing(self, "Indexing", options, self.storage, *indexers)
        self.consolidation = Consolidation(self, "Consolidation", options, self.names, self.functions)
        Schedules(self, "Schedules", options, self.bus, self.functions["due"])
        self._alarms()
        self._outputs()

    def _functions(self) -> dict[str, Function]:
        layers = None if self.options.local else Layers(self, "Layers", self.options)
        environment = self._environment()
        scope = Construct(self, "Functions")
        made = {}
        for folder, needs in NEEDS.items():
            chosen = [] if layers is None else layers.embedding if needs.embeds else layers.basic
            made[folder] = Function(
                scope,
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
                grant(function, right, self.storage)

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
        alarms.health()
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
            "EventBus": self.bus.event_bus_name,
        }
        for name, value in found.items():
            CfnOutput(self, name, value=value)
