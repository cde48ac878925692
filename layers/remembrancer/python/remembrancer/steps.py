"""The edge of Step Functions tasks and of queued events: logs, and errors by name for Retry and Catch."""

import hashlib
import time
import traceback
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.utilities.typing import LambdaContext

from remembrancer.errors import RemembrancerError

Event = dict[str, Any]
logger = Logger()
metrics = Metrics(namespace="Remembrancer")


def count(name: str) -> None:
    """Add one to a metric of this function."""
    metrics.add_metric(name, "Count", 1)


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
        logger.append_keys(space=hashlib.sha256(space.encode()).hexdigest()[:12], run=event.get("run"))
        try:
            return function(event)
        except RemembrancerError as error:
            logger.warning("failed", error=type(error).__name__)
            raise
        except Exception as error:
            frames = [
                f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)
            ]
            logger.error("unexpected", exc_info=False, error=type(error).__name__, frames=frames[-8:])
            raise RemembrancerError(f"unexpected {type(error).__name__}") from None
        finally:
            took = (time.monotonic() - started) * 1000
            logger.info("task", ms=round(took, 1))
            metrics.add_metric("task.latency", "Milliseconds", took)
            metrics.flush_metrics()

    return handler
