"""Alarms, sent to the topic that the options name, and a dashboard of what they watch."""

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from infra.options import Options

FIVE = Duration.minutes(5)


class Board(Construct):
    """Makes alarms, and one graph for each."""

    def __init__(self, scope: Construct, id: str, options: Options) -> None:
        super().__init__(scope, id)
        self.options = options
        self.metrics: list[cloudwatch.IMetric] = []

    def dashboard(self) -> None:
        """One graph for each thing that has an alarm."""
        board = cloudwatch.Dashboard(self, "Dashboard", dashboard_name=self.options.name("overview"))
        graphs = [cloudwatch.GraphWidget(left=[metric], width=8) for metric in self.metrics]
        for start in range(0, len(graphs), 3):
            board.add_widgets(*graphs[start : start + 3])

    def alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        text: str,
        *,
        periods: int = 1,
        below: bool = False,
    ) -> None:
        """One alarm, and its metric for the dashboard."""
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


def metric(namespace: str, name: str, statistic: str, **dimensions: str) -> cloudwatch.Metric:
    """A metric over five minutes."""
    return cloudwatch.Metric(
        namespace=namespace, metric_name=name, statistic=statistic, dimensions_map=dimensions, period=FIVE
    )
