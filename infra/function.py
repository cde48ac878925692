"""One Lambda function: its folder, its own role with no more than it needs, its logs, and where lost events go."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.options import Options

ROOT = Path(__file__).parents[1]
KEEP_LOST = Duration.days(14)
RETENTION = {
    7: logs.RetentionDays.ONE_WEEK,
    30: logs.RetentionDays.ONE_MONTH,
    90: logs.RetentionDays.THREE_MONTHS,
    365: logs.RetentionDays.ONE_YEAR,
}
CACHES = ["**/__pycache__", "**/*.pyc"]


class Function(Construct):
    """`folder` below functions/ is the code, the name and the service name in logs.

    `asynchronous` functions get a queue for the events that they could not handle.
    """

    def __init__(
        self,
        scope: Construct,
        folder: str,
        options: Options,
        *,
        memory_mb: int,
        seconds: int,
        environment: Mapping[str, str],
        layers: Sequence[lambda_.ILayerVersion],
        asynchronous: bool = False,
    ) -> None:
        super().__init__(scope, folder.title().replace("_", ""))
        code = ROOT / "functions" / folder
        if not (code / "handler.py").is_file():
            raise FileNotFoundError(f"functions/{folder}/handler.py is missing")
        name = options.name(folder.replace("_", "-"))
        group = logs.LogGroup(
            self,
            "Logs",
            log_group_name=f"/aws/lambda/{name}",
            retention=RETENTION[options.log_days],
            removal_policy=RemovalPolicy.DESTROY,
        )
        self.role = iam.Role(self, "Role", role_name=None, assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        self.allow(("logs:CreateLogStream", "logs:PutLogEvents"), group.log_group_arn)
        self.lost = lost_events(self, "Lost", f"{name}-lost") if asynchronous else None
        self.function = lambda_.Function(
            self,
            "Function",
            function_name=name,
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=lambda_.Architecture.ARM_64,
            handler="handler.handler",
            code=lambda_.Code.from_asset(str(code), exclude=CACHES),
            memory_size=memory_mb,
            timeout=Duration.seconds(seconds),
            environment={**environment, "POWERTOOLS_SERVICE_NAME": folder},
            layers=list(layers),
            role=self.role,
            log_group=group,
            tracing=lambda_.Tracing.ACTIVE,
            dead_letter_queue=self.lost,
        )

    def allow(
        self, actions: Sequence[str], *resources: str, conditions: Mapping[str, object] | None = None
    ) -> None:
        """Let the function do these things to these resources."""
        self.role.add_to_policy(
            iam.PolicyStatement(actions=list(actions), resources=list(resources), conditions=conditions)
        )


def lost_events(scope: Construct, id: str, name: str) -> sqs.Queue:
    """A queue that keeps what could not be handled for two weeks; an alarm watches it."""
    return sqs.Queue(
        scope,
        id,
        queue_name=name,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=KEEP_LOST,
    )
