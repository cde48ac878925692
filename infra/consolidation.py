"""Consolidation: the state machine of consolidate.asl.json, and what starts it."""

import json
from collections.abc import Mapping
from pathlib import Path

from aws_cdk import ArnFormat, Aws, Duration, RemovalPolicy, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from infra.function import RETENTION, Function
from infra.options import Options

DEFINITION = Path(__file__).with_name("consolidate.asl.json")
TASKS = ("gate", "plan", "file", "settle", "views", "maintain", "release")
SCHEDULES = {
    # name: expression, minutes within which it may start
    "nightly": ("cron(0 3 * * ? *)", 15),
    "interval": ("cron(30 * * * ? *)", 5),
}


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
    """State machine, schedules in the tenant's zone, and the rule for a full buffer."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        options: Options,
        machine: Machine,
        bus: events.EventBus,
        functions: Mapping[str, Function],
    ) -> None:
        super().__init__(scope, id)
        self.machine = self._machine(options, machine, functions)
        self._schedules(options, functions["due"])
        events.Rule(
            self,
            "BufferFull",
            rule_name=options.name("buffer-full"),
            event_bus=bus,
            event_pattern=events.EventPattern(source=["remembrancer"], detail_type=["BufferFull"]),
            targets=[
                targets.LambdaFunction(
                    functions["due"].function,
                    dead_letter_queue=functions["due"].lost,
                    event=events.RuleTargetInput.from_object(
                        {"trigger": "size", "space": events.EventField.from_path("$.detail.space")}
                    ),
                )
            ],
        )

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

    def _schedules(self, options: Options, due: Function) -> None:
        lost = due.lost
        assert lost is not None
        role = iam.Role(
            self,
            "Scheduler",
            assumed_by=iam.ServicePrincipal(
                "scheduler.amazonaws.com", conditions={"StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID}}
            ),
        )
        role.add_to_policy(
            iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=[due.function.function_arn])
        )
        role.add_to_policy(iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[lost.queue_arn]))
        for trigger, (expression, minutes) in SCHEDULES.items():
            scheduler.CfnSchedule(
                self,
                trigger.capitalize(),
                name=options.name(trigger),
                schedule_expression=expression,
                schedule_expression_timezone=options.zone,
                flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(
                    mode="FLEXIBLE", maximum_window_in_minutes=minutes
                ),
                target=scheduler.CfnSchedule.TargetProperty(
                    arn=due.function.function_arn,
                    role_arn=role.role_arn,
                    input=json.dumps({"trigger": trigger}),
                    dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(arn=lost.queue_arn),
                    retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                        maximum_event_age_in_seconds=int(Duration.hours(2).to_seconds()),
                        maximum_retry_attempts=10,
                    ),
                ),
            )
