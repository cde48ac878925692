"""Alarms, sent to the topic that the options name, and a dashboard of what they watch."""

from collections.abc import Sequence

from aws_cdk import Aws, Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from infra.function import Function
from infra.options import Options
from infra.routes import ROUTES

FIVE = Duration.minutes(5)
SLOW_INJECT_MS = 1_000
LATE_S = 900
NAMESPACE = "Remembrancer"


class Alarms(Construct):
    """One method a part of the system; `dashboard` comes last."""

    def __init__(self, scope: Construct, id: str, options: Options) -> None:
        super().__init__(scope, id)
        self.options = options
        self.metrics: list[cloudwatch.IMetric] = []

    def api(self, api_id: str, functions: dict[str, Function]) -> None:
        """Errors of ours, slow turns, and calls that found no free function."""
        errors = _metric("AWS/ApiGateway", "5xx", "Sum", ApiId=api_id)
        self._alarm("api-5xx", errors, 5, "the API answers 5xx", periods=2)
        slow = functions["inject"].function.metric_duration(statistic="p95", period=FIVE)
        self._alarm("inject-p95", slow, SLOW_INJECT_MS, "inject is slow (p95, ms)", periods=3)
        behind = list(dict.fromkeys(route.function for route in ROUTES))
        throttles: dict[str, cloudwatch.IMetric] = {
            f"m{place}": functions[name].function.metric_throttles(period=FIVE)
            for place, name in enumerate(behind)
        }
        whole = cloudwatch.MathExpression(
            expression=" + ".join(throttles), using_metrics=throttles, label="throttles", period=FIVE
        )
        self._alarm("throttles", whole, 1, "the account's functions are all busy", periods=2)

    def consolidation(self, machine: stepfunctions.StateMachine) -> None:
        """Runs that failed or ran out of time."""
        hour = Duration.hours(1)
        self._alarm("runs-failed", machine.metric_failed(period=hour), 1, "a consolidation run failed")
        self._alarm("runs-timed-out", machine.metric_timed_out(period=hour), 1, "a consolidation run took an hour")
        budget = _metric("Remembrancer", "run.deletion_budget", "Sum", service="release")
        self._alarm("deletion-budget", budget, 1, "a run would have removed too much of a space")

    def health(self) -> None:
        """What `due` and `maintain` say of all spaces: facts that wait too long, projections that differ."""
        for name, service, text in (
            ("spaces.overdue", "due", "a fact waits for more than two intervals"),
            ("pages.unembedded", "maintain", "a page is not in the index"),
            ("pages.drift", "maintain", "bucket, catalogue and index differed"),
            ("stages.failed", "maintain", "a stage of maintenance failed"),
        ):
            metric = cloudwatch.Metric(
                namespace=NAMESPACE,
                metric_name=name,
                statistic="Maximum",
                dimensions_map={"service": service, "tenant": self.options.tenant},
                period=Duration.hours(1),
            )
            self._alarm(name.replace(".", "-"), metric, 1, text)

    def indexing(self, queue: sqs.Queue, entries: Function, lost: Sequence[sqs.Queue]) -> None:
        """Index behind its sources, and events that were given up."""
        age = queue.metric_approximate_age_of_oldest_message(period=FIVE)
        self._alarm("pages-late", age, LATE_S, "a changed page waits for the index (s)", periods=3)
        behind = entries.function.metric("IteratorAge", statistic="Maximum", period=FIVE)
        self._alarm("entries-late", behind, LATE_S * 1_000, "entries wait for the index (ms)", periods=3)
        for each, name in zip(lost, ("pages", "entries", "due"), strict=True):
            depth = each.metric_approximate_number_of_messages_visible(period=FIVE)
            self._alarm(f"lost-{name}", depth, 1, f"events of {name} were given up")

    def domain(self, name: str, storage_gb: int) -> None:
        """Health and pressure of the search domain."""
        told = {"DomainName": name, "ClientId": Aws.ACCOUNT_ID}
        space = "AWS/ES"
        red = _metric(space, "ClusterStatus.red", "Maximum", **told)
        self._alarm("domain-red", red, 1, "the domain lost a shard")
        key = _metric(space, "KMSKeyError", "Maximum", **told)
        self._alarm("domain-key", key, 1, "the domain cannot use its key")
        memory = _metric(space, "JVMMemoryPressure", "Maximum", **told)
        self._alarm("domain-memory", memory, 85, "the domain is short of memory (%)", periods=3)
        cpu = _metric(space, "CPUUtilization", "Average", **told)
        self._alarm("domain-cpu", cpu, 80, "the domain is busy (%)", periods=3)
        free = _metric(space, "FreeStorageSpace", "Minimum", **told)
        self._alarm("domain-storage", free, storage_gb * 200, "less than a fifth of the disk is free", below=True)

    def dashboard(self) -> None:
        """One graph for each thing that has an alarm."""
        board = cloudwatch.Dashboard(self, "Dashboard", dashboard_name=self.options.name("overview"))
        graphs = [cloudwatch.GraphWidget(left=[metric], width=8) for metric in self.metrics]
        for start in range(0, len(graphs), 3):
            board.add_widgets(*graphs[start : start + 3])

    def _alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        text: str,
        *,
        periods: int = 1,
        below: bool = False,
    ) -> None:
        operators = cloudwatch.ComparisonOperator
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=self.options.name(name),
            alarm_description=f"{self.options.tenant}: {text}",
            metric=metric,
            threshold=threshold,
            evaluation_periods=periods,
            comparison_operator=operators.LESS_THAN_THRESHOLD
            if below
            else operators.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        if self.options.alarm_topic:
            resource = alarm.node.default_child
            assert isinstance(resource, cloudwatch.CfnAlarm)
            resource.alarm_actions = [self.options.alarm_topic]
        self.metrics.append(metric)


def _metric(namespace: str, name: str, statistic: str, **dimensions: str) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace=namespace, metric_name=name, statistic=statistic, dimensions_map=dimensions, period=FIVE
    )
