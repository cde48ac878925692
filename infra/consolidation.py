"""Consolidation: the state machine of consolidate.asl.json."""

from collections.abc import Mapping
from pathlib import Path

from aws_cdk import ArnFormat, Aws, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from infra.function import RETENTION, Function
from infra.options import Options

DEFINITION = Path(__file__).with_name("consolidate.asl.json")
TASKS = ("gate", "plan", "file", "settle", "views", "maintain", "release")


class Machine:
    """Names that exist before the state machine does, because its tasks are told about it."""

    def __init__(self, scope: Construct, options: Options) -> None:
        self.name = options.name("consolidate")
        stack, colon = Stack.of(scope), ArnFormat.COLON_RESOURCE_NAME
        self.arn = stack.format_arn(
            service="states", resource="stateMachine", resource_name=self.name, arn_format=colon
        )
        self.runs = stack.format_arn(
            service="states", resource="execution", resource_name=f"{self.name}:*", arn_format=colon
        )

    def grant(self, function: Function, right: str) -> None:
        """`runs:start` begins a run, `runs:look` tells whether one goes on."""
        actions, arn = {
            "runs:start": ("states:StartExecution", self.arn),
            "runs:look": ("states:DescribeExecution", self.runs),
        }[right]
        function.allow([actions], arn)


class Consolidation(Construct):
    """One execution is one run of one space, named by the run's id."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        options: Options,
        machine: Machine,
        functions: Mapping[str, Function],
    ) -> None:
        super().__init__(scope, id)
        self.machine = self._machine(options, machine, functions)

    def _machine(
        self, options: Options, machine: Machine, functions: Mapping[str, Function]
    ) -> stepfunctions.StateMachine:
        lines = logs.LogGroup(
            self,
            "Lines",
            log_group_name=f"/aws/vendedlogs/states/{machine.name}",
            retention=RETENTION[options.log_days],
            removal_policy=RemovalPolicy.DESTROY,
        )
        arns = {task: functions[task].function.function_arn for task in TASKS}
        made = stepfunctions.StateMachine(
            self,
            "Consolidate",
            state_machine_name=machine.name,
            definition_body=stepfunctions.DefinitionBody.from_string(DEFINITION.read_text(encoding="utf-8")),
            definition_substitutions={"partition": Aws.PARTITION, **arns},
            tracing_enabled=True,
            logs=stepfunctions.LogOptions(
                destination=lines, level=stepfunctions.LogLevel.ERROR, include_execution_data=False
            ),
        )
        made.add_to_role_policy(
            iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=list(arns.values()))
        )
        return made
