"""The edge of Step Functions tasks and of queued events: logs, and errors by name for Retry and Catch."""

import time
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.utilities.typing import LambdaContext

from remembrancer.errors import RemembrancerError
from remembrancer.logs import hashed, unexpected

Event = dict[str, Any]
logger = Logger()
metrics = Metrics(namespace="Remembrancer")


def measured(tenant: str, counts: Mapping[str, float]) -> None:
    """Metrics of one tenant; an alarm of its stack watches them."""
    metrics.add_dimension(name="tenant", value=tenant)
    for name, value in counts.items():
        metrics.add_metric(name, "Count", value)


def task(function: Callable[[Event], Any]) -> Callable[[Event, LambdaContext], Any]:
    """Make a plain function a Lambda handler. An unexpected error leaves with its type and no text."""

    @wraps(function)
    def handler(event: Event, context: LambdaContext) -> Any:
        started = time.monotonic()
        space = str(event.get("space", "")) if isinstance(event, dict) else ""
        keys = {"space": hashed(space), "run": event.get("run")}
        with logger.append_context_keys(**keys):
            try:
                return function(event)
            except RemembrancerError as error:
                logger.warning("failed", error=type(error).__name__)
                raise
            except Exception as error:
                unexpected(logger, error)
                raise RemembrancerError(f"unexpected {type(error).__name__}") from None
            finally:
                took = (time.monotonic() - started) * 1000
                logger.info("task", ms=round(took, 1))
                metrics.add_metric("task.latency", "Milliseconds", took)
                metrics.flush_metrics()

    return handler
