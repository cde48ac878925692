"""What starts consolidation by itself: three schedules in the tenant's zone, and the event of a full buffer."""

import json

from aws_cdk import Aws, Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.function import Function
from infra.options import Options

SCHEDULES = {
    # name: expression, minutes within which it may start
    "nightly": ("cron(0 3 * * ? *)", 15),
    "interval": ("cron(30 * * * ? *)", 5),
    "upkeep": ("cron(10 1/6 * * ? *)", 30),
}


class Schedules(Construct):
    """All of them ask `due`, which decides; what it could not take ends in its queue of lost events."""

    def __init__(self, scope: Construct, id: str, options: Options, bus: events.EventBus, due: Function) -> None:
        super().__init__(scope, id)
        lost = due.lost
        assert lost is not None
        self._buffer_full(options, bus, due, lost)
        role = self._role(due, lost)
        for trigger in SCHEDULES:
            self._schedule(trigger, options, due, lost, role)

    def _buffer_full(self, options: Options, bus: events.EventBus, due: Function, lost: sqs.Queue) -> None:
        asked = {"trigger": "size", "space": events.EventField.from_path("$.detail.space")}
        events.Rule(
            self,
            "BufferFull",
            rule_name=options.name("buffer-full"),
            event_bus=bus,
            event_pattern=events.EventPattern(source=["remembrancer"], detail_type=["BufferFull"]),
            targets=[
                targets.LambdaFunction(
                    due.function, dead_letter_queue=lost, event=events.RuleTargetInput.from_object(asked)
                )
            ],
        )

    def _role(self, due: Function, lost: sqs.Queue) -> iam.Role:
        ours = {"StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID}}
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com", conditions=ours))
        for action, arn in (
            ("lambda:InvokeFunction", due.function.function_arn),
            ("sqs:SendMessage", lost.queue_arn),
        ):
            role.add_to_policy(iam.PolicyStatement(actions=[action], resources=[arn]))
        return role

    def _schedule(self, trigger: str, options: Options, due: Function, lost: sqs.Queue, role: iam.Role) -> None:
        expression, minutes = SCHEDULES[trigger]
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
                    maximum_event_age_in_seconds=int(Duration.hours(2).to_seconds()), maximum_retry_attempts=10
                ),
            ),
        )
