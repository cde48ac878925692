"""`Idempotency-Key`: the same request again gets the first reply, on the expiring table."""

import hashlib
import json
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
    IdempotencyValidationError,
)
from aws_lambda_powertools.utilities.typing import LambdaContext

from remembrancer.errors import Conflict, Invalid
from remembrancer.wiring import wiring

MAX_KEY = 200


class _NotKept(Exception):
    """Carries a reply that must not be stored: an error may be tried again."""

    def __init__(self, reply: dict[str, Any]) -> None:
        self.reply = reply


@cache
def _store() -> DynamoDBPersistenceLayer:
    table = urlsplit(wiring().settings.expiring).netloc
    return DynamoDBPersistenceLayer(
        table, key_attr="pk", sort_key_attr="sk", static_pk_value="IDEMPOTENCY", expiry_attr="expires_at"
    )


@cache
def _config() -> IdempotencyConfig:
    return IdempotencyConfig(
        event_key_jmespath="key",
        payload_validation_jmespath="body",
        raise_on_no_idempotency_key=True,
        expires_after_seconds=3600,
        hash_function="sha256",
    )


def once(
    run: Callable[[], dict[str, Any]],
    key: str,
    headers: dict[str, str],
    event: dict[str, Any],
    context: LambdaContext,
) -> dict[str, Any]:
    """Run it, or give the reply that the first run gave. The key belongs to one token, space and route.

    Raises `Conflict` while the first run goes on and `Invalid` when the body is another one.
    """
    if len(key) > MAX_KEY:
        raise Invalid(f"at most {MAX_KEY} characters", field="Idempotency-Key")
    credential = hashlib.sha256(headers.get("authorization", "").encode()).hexdigest()
    scope = [
        credential,
        headers.get("x-memory-space", ""),
        event.get("routeKey", ""),
        event.get("rawPath", ""),
        key,
    ]
    config = _config()
    config.register_lambda_context(context)

    @idempotent_function(  # type: ignore[untyped-decorator]
        data_keyword_argument="data", persistence_store=_store(), config=config
    )
    def first(data: dict[str, Any]) -> dict[str, Any]:
        reply = run()
        if int(reply["statusCode"]) >= 300:
            raise _NotKept(reply)
        return reply

    try:
        return dict(first(data={"key": json.dumps(scope), "body": event.get("body") or ""}))
    except _NotKept as kept:
        return kept.reply
    except IdempotencyAlreadyInProgressError as error:
        raise Conflict("the first request with this key is still running", retry_after_s=1) from error
    except IdempotencyValidationError as error:
        raise Invalid("this key was used with another body", field="Idempotency-Key") from error
