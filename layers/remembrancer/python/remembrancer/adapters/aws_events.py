"""Step Functions and EventBridge."""

import json

from remembrancer import aws
from remembrancer.errors import RemembrancerError, Unavailable


class AwsEvents:
    """See `ports.Events`. `state_machine` is an ARN, `bus` the name of an event bus."""

    def __init__(self, state_machine: str, bus: str) -> None:
        self.state_machine = state_machine
        self.bus = bus

    def start_run(self, space: str, run: str, trigger: str) -> None:
        from botocore.exceptions import ClientError

        if not self.state_machine:
            raise RemembrancerError("no state machine is configured")
        work = json.dumps({"space": space, "run": run, "trigger": trigger})
        start = aws.client("stepfunctions").start_execution
        try:
            aws.call(start, self.state_machine, stateMachineArn=self.state_machine, name=run, input=work)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ExecutionAlreadyExists":
                raise

    def running(self, run: str) -> bool:
        from botocore.exceptions import ClientError

        arn = f"{self.state_machine.replace(':stateMachine:', ':execution:')}:{run}"
        describe = aws.client("stepfunctions").describe_execution
        try:
            return bool(aws.call(describe, self.state_machine, executionArn=arn)["status"] == "RUNNING")
        except ClientError as error:
            if error.response["Error"]["Code"] != "ExecutionDoesNotExist":
                raise
            return False

    def buffer_full(self, space: str, lines: int) -> None:
        if not self.bus:
            raise RemembrancerError("no event bus is configured")
        event = {
            "Source": "remembrancer",
            "DetailType": "BufferFull",
            "Detail": json.dumps({"space": space, "lines": lines}),
            "EventBusName": self.bus,
        }
        reply = aws.call(aws.client("events").put_events, self.bus, Entries=[event])
        if reply["FailedEntryCount"]:
            raise Unavailable(f"{self.bus} refused the event: {reply['Entries'][0].get('ErrorCode')}")
