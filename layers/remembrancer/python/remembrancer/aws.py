"""botocore clients, one a service and process, and what the errors of AWS mean to us.

A module of its own beside the adapters, because those do not import one another.
"""

import re
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

from remembrancer.errors import RemembrancerError, Throttled, Unavailable

T = TypeVar("T")

THROTTLING = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "SlowDown",
    "ThrottledException",
    "Throttling",
    "ThrottlingError",
    "ThrottlingException",
    "TooManyRequestsException",
}
NO_RIGHT = {"AccessDenied", "AccessDeniedException", "NotAuthorized"}

_clients: dict[str, Any] = {}
_lock = Lock()


def client(service: str) -> Any:
    """The process's client of a service, made on first use and safe to share between threads."""
    with _lock:
        if service not in _clients:
            # botocore alone starts faster than boto3, and not at all before something asks for AWS
            import botocore.session
            from botocore.config import Config

            config = Config(
                connect_timeout=1,
                read_timeout=5,
                retries={"mode": "standard", "total_max_attempts": 3},
                tcp_keepalive=True,
                max_pool_connections=32,
                parameter_validation=False,  # a third of the time of a large request, for shapes that we build
            )
            session: Any = botocore.session.get_session()
            if service == "dynamodb":
                from remembrancer import aws_json

                _clients[service] = aws_json.client(session, config)
            else:
                _clients[service] = session.create_client(service, config=config)
        return _clients[service]


def forget_clients() -> None:
    """Make the next call start from the environment again. For tests."""
    with _lock:
        for made in _clients.values():
            made.close()
        _clients.clear()


def call(operation: Callable[..., T], target: str, /, **arguments: Any) -> T:
    """Call an operation of a client; `target` is the table, bucket or machine that an error names.

    Raises `Throttled`, `Unavailable`, `RemembrancerError` for a missing right, and botocore's `ClientError` for
    everything that the adapter has to decide itself.
    """
    from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, HTTPClientError

    try:
        return operation(**arguments)
    except ClientError as error:
        code = str(error.response["Error"].get("Code", ""))
        if code in THROTTLING:
            raise Throttled(f"{target} is busy", retry_after_s=1) from error
        if code in NO_RIGHT:
            named = re.search(r"perform: ([\w:]+)", str(error.response["Error"].get("Message", "")))
            action = named[1] if named else error.operation_name
            raise RemembrancerError(f"no right to {action} on {target}") from error
        if int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)) >= 500:
            raise Unavailable(f"{target} does not answer", retry_after_s=1) from error
        raise
    except (ConnectionError, HTTPClientError) as error:
        raise Unavailable(f"{target} does not answer", retry_after_s=1) from error
    except BotoCoreError as error:
        raise RemembrancerError(f"no way to {target}: {type(error).__name__}") from error
