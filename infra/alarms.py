"""What is watched: one alarm each, with its threshold."""

from collections.abc import Sequence

from aws_cdk import Aws, Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as stepfunctions

from infra.board import FIVE, Board, metric
from infra.function import Function
from infra.routes import ROUTES

SLOW_INJECT_MS = 1_000
LATE_S = 900
NAMESPACE = "Remembrancer"


class Alarms(Board):
    """One method a part of the system; `dashboard` comes last."""

    def api(self, api_id: str, functions: dict[str, Function]) -> None:
        """Errors of ours, slow turns, and calls that found no free function."""
        errors = metric("AWS/ApiGateway", "5xx", "Sum", ApiId=api_id)
        self.alarm("api-5xx", errors, 5, "the API answers 5xx", periods=2)
        slow = functions["inject"].function.metric_duration(statistic="p95", period=FIVE)
        self.alarm("inject-p95", slow, SLOW_INJECT_MS, "inject is slow (p95, ms)", periods=3)
        behind = list(dict.fromkeys(route.function for route in ROUTES))
        throttles: dict[str, cloudwatch.IMetric] = {
            f"m{place}": functions[name].function.metric_throttles(period=FIVE)
            for place, name in enumerate(behind)
        }
        whole = cloudwatch.MathExpression(
            expression=" + ".join(throttles), using_metrics=throttles, label="throttles", period=FIVE
        )
        self.alarm("throttles", whole, 1, "the account's functions are all busy", periods=2)

    def consolidation(self, machine: stepfunctions.StateMachine) -> None:
        """Runs that failed or ran out of time."""
        hour = Duration.hours(1)
        self.alarm("runs-failed", machine.metric_failed(period=hour), 1, "a consolidation run failed")
        self.alarm("runs-timed-out", machine.metric_timed_out(period=hour), 1, "a consolidation run took an hour")

    def health(self) -> None:
        """What functions say of all spaces: facts that wait too long, projections that differ, runs held back."""
        for name, service, text in (
            ("spaces.overdue", "due", "a fact waits for more than two intervals"),
            ("pages.unembedded", "maintain", "a page is not in the index"),
            ("pages.drift", "maintain", "bucket, catalogue and index differed"),
            ("stages.failed", "maintain", "a stage of maintenance failed"),
            ("run.deletion_budget", "release", "a run would have removed too much of a space"),
        ):
            told = cloudwatch.Metric(
                namespace=NAMESPACE,
                metric_name=name,
                statistic="Maximum",
                dimensions_map={"service": service, "tenant": self.options.tenant},
                period=Duration.hours(1),
            )
            self.alarm(name.replace(".", "-").replace("_", "-"), told, 1, text)

    def indexing(self, queue: sqs.Queue, entries: Function, lost: Sequence[sqs.Queue]) -> None:
        """Index behind its sources, and events that were given up."""
        age = queue.metric_approximate_age_of_oldest_message(period=FIVE)
        self.alarm("pages-late", age, LATE_S, "a changed page waits for the index (s)", periods=3)
        behind = entries.function.metric("IteratorAge", statistic="Maximum", period=FIVE)
        self.alarm("entries-late", behind, LATE_S * 1_000, "entries wait for the index (ms)", periods=3)
        for each, name in zip(lost, ("pages", "entries", "due"), strict=True):
            depth = each.metric_approximate_number_of_messages_visible(period=FIVE)
            self.alarm(f"lost-{name}", depth, 1, f"events of {name} were given up")

    def domain(self, name: str, storage_gb: int) -> None:
        """Health and pressure of the search domain."""
        told = {"DomainName": name, "ClientId": Aws.ACCOUNT_ID}
        space = "AWS/ES"
        red = metric(space, "ClusterStatus.red", "Maximum", **told)
        self.alarm("domain-red", red, 1, "the domain lost a shard")
        key = metric(space, "KMSKeyError", "Maximum", **told)
        self.alarm("domain-key", key, 1, "the domain cannot use its key")
        memory = metric(space, "JVMMemoryPressure", "Maximum", **told)
        self.alarm("domain-memory", memory, 85, "the domain is short of memory (%)", periods=3)
        cpu = metric(space, "CPUUtilization", "Average", **told)
        self.alarm("domain-cpu", cpu, 80, "the domain is busy (%)", periods=3)
        free = metric(space, "FreeStorageSpace", "Minimum", **told)
        self.alarm("domain-storage", free, storage_gb * 200, "less than a fifth of the disk is free", below=True)
