"""Calls that wait their turn, and what a refusal says."""

import random
import time
from collections.abc import Mapping
from typing import Any

from remembrancer import aws
from remembrancer.adapters.dynamodb.items import Item, from_wire
from remembrancer.errors import Throttled

PATIENCE_S = 3.0


class Refused(Exception):
    """Conditions did not hold. `found` has, by place of the write, the item that was there (empty when none)."""

    def __init__(self, found: Mapping[int, Item]) -> None:
        super().__init__("condition refused")
        self.found = found


def patiently(operation: Any, table: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Call, again while other transactions touch the same items, for three seconds."""
    from botocore.exceptions import ClientError

    pause = Pause(table)
    while True:
        try:
            reply: dict[str, Any] = aws.call(operation, table, **request)
            return reply
        except ClientError as error:
            found, wait = _verdict(error.response)
            if found:
                raise Refused(found) from error
            if not wait:
                raise
        pause()


class Pause:
    """Waits a growing random while; raises `Throttled` when the patience is used up."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.end = time.monotonic() + PATIENCE_S
        self.longest = 0.01

    def __call__(self) -> None:
        if time.monotonic() > self.end:
            raise Throttled(f"{self.target} is busy", retry_after_s=1)
        time.sleep(random.uniform(0, self.longest))
        self.longest = min(2 * self.longest, 0.4)


def _verdict(response: Mapping[str, Any]) -> tuple[dict[int, Item], bool]:
    """(what refused, whether another try helps)."""
    code = response["Error"]["Code"]
    if code == "ConditionalCheckFailedException":
        return {0: from_wire(response.get("Item", {}))}, False
    reasons = response.get("CancellationReasons", [])
    found = {
        place: from_wire(reason.get("Item", {}))
        for place, reason in enumerate(reasons)
        if reason.get("Code") == "ConditionalCheckFailed"
    }
    passing = {"TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"}
    return found, code == "TransactionConflictException" or any(r.get("Code") in passing for r in reasons)
