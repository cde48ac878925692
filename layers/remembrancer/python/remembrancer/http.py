"""The HTTP edge: one resolver a function, with authorization, the error body, logs and metrics of every route.

A handler registers plain functions with `api.get`, `api.post`, …; what they raise becomes the error body, and what
they return becomes the reply. Nothing that leaves or is logged holds memory text.
"""

import gc
import json
import time
from collections.abc import Callable
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.utilities.typing import LambdaContext

from remembrancer.actions.authorize import Caller, authenticate, authorize
from remembrancer.errors import Invalid, NotFound, RemembrancerError, Unauthorized
from remembrancer.logs import hashed, unexpected
from remembrancer.request import body_text, named_space, one_segment, parsed, template
from remembrancer.wiring import wiring

JSON = "application/json"


COLLECT_AFTER = 50_000
"""Objects that one call may make before the collector looks for cycles among them; there are hardly any."""


def error_body(error: RemembrancerError, request_id: str) -> dict[str, Any]:
    """The one error body of the service."""
    fields = {"field": error.field} if error.field else {}
    return {"error": {"code": error.code, "message": error.message, **fields, "request_id": request_id}}


def as_json(body: dict[str, Any]) -> str:
    """A reply's body as text."""
    return json.dumps(body, ensure_ascii=False)


def _reply(status: int, body: dict[str, Any], headers: dict[str, Any]) -> dict[str, Any]:
    return {"statusCode": status, "headers": {"Content-Type": JSON, **headers}, "body": as_json(body)}


def failure(error: RemembrancerError, request_id: str) -> dict[str, Any]:
    """A whole reply for an error."""
    headers: dict[str, Any] = {}
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = 'Bearer realm="remembrancer"'
    if error.retry_after_s:
        headers["Retry-After"] = str(error.retry_after_s)
    return _reply(error.status, error_body(error, request_id), headers)


def _from_validation(error: RequestValidationError) -> Invalid:
    first = error.errors()[0]
    place = [str(part) for part in first["loc"] if part not in ("body", "query", "path", "header")]
    if first["type"] == "json_invalid":
        return Invalid("the body is not JSON", field="body")
    return Invalid(str(first["msg"]).removeprefix("Value error, "), field=".".join(place) or "body")


class Api:
    """The routes of one function."""

    def __init__(self) -> None:
        self.logger = Logger()
        self.metrics = Metrics(namespace="Remembrancer")
        self.tracer = Tracer(auto_patch=False)
        self.resolver = APIGatewayHttpResolver(enable_validation=True)
        self.scopes: dict[tuple[str, str], str] = {}
        self.caller: Caller
        self.started = 0.0
        self._tokens: dict[str, tuple[int, Any]] = {}
        gc.freeze()  # what the imports have made stays
        gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])
        self.resolver.exception_handler(RequestValidationError)(self._invalid)
        self.resolver.exception_handler(RemembrancerError)(self._known)
        self.resolver.exception_handler(NotFoundError)(self._unknown_route)
        # without this the resolver logs the error with its message, which may hold memory text
        self.resolver.exception_handler(Exception)(self._unexpected)

    def route(self, method: str, path: str, scope: str, **openapi: Any) -> Callable[[Callable[..., Any]], Any]:
        """Register a route that needs `scope` (`none`: open to everybody)."""
        self.scopes[method, path] = scope

        pattern = path.replace("{", "<").replace("+}", ">").replace("}", ">")
        return self.resolver.route(pattern, method, **openapi)

    @property
    def space(self) -> str:
        """The space of this call."""
        return self.caller.space

    @property
    def request_id(self) -> str:
        """API Gateway's id of this request."""
        return str(self.resolver.current_event.request_context.request_id)

    def header(self, name: str) -> str:
        """A request header, or an empty text."""
        return str(self.resolver.current_event.headers.get(name) or "")

    def _known(self, error: RemembrancerError) -> Response[str]:
        return self._response(failure(error, self.request_id))

    def _invalid(self, error: RequestValidationError) -> Response[str]:
        return self._known(_from_validation(error))

    def _unknown_route(self, error: NotFoundError) -> Response[str]:
        return self._known(NotFound("no such route"))

    def _unexpected(self, error: Exception) -> Response[str]:
        return self._known(self._noted(error))

    def _noted(self, error: Exception) -> RemembrancerError:
        unexpected(self.logger, error)
        return RemembrancerError("something went wrong on our side")

    def _response(self, reply: dict[str, Any]) -> Response[str]:
        return Response(reply["statusCode"], JSON, reply["body"], reply["headers"])

    def _answer(self, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        """Size, token, body, rights, then the route: nothing runs before all of them hold."""
        headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
        text = body_text(event)
        scope = self.scopes.get((event["requestContext"]["http"]["method"], template(event)), "none")
        token = None
        if scope != "none":
            parts = wiring()
            header = headers.get("authorization", "")
            token = authenticate(parts.tokens, self._tokens, parts.clock.now_ms(), header)
        body = parsed(text, headers)
        if token is not None:
            self.caller = authorize(token, named_space(headers, body), scope)
            self.logger.append_keys(space=hashed(self.caller.space))
        event = {
            **event,
            "body": text,
            "isBase64Encoded": False,
            "headers": headers,
            "rawPath": one_segment(event),
        }
        key = headers.get("idempotency-key", "")
        if not key or event["requestContext"]["http"]["method"] != "POST":
            return self.resolver.resolve(event, context)
        from remembrancer.idempotency import once  # imports boto3: only for callers that ask for it

        return once(lambda: self.resolver.resolve(event, context), key, headers, event, context)

    def __call__(self, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        """Answer one request; whatever happens, with a body of ours."""
        self.started = time.monotonic()
        http = event.get("requestContext") or {}
        request_id = str(http.get("requestId") or "")
        with self.logger.append_context_keys(request_id=request_id, space=None):
            try:
                reply = self._answer(event, context)
            except RemembrancerError as error:
                reply = failure(error, request_id)
            except Exception as error:
                reply = failure(self._noted(error), request_id)
            reply["headers"] = {**(reply.get("headers") or {}), "X-Request-Id": request_id}
            self._account(event, int(reply["statusCode"]))
        return reply

    def _account(self, event: dict[str, Any], status: int) -> None:
        took = (time.monotonic() - self.started) * 1000
        route = str(event.get("routeKey") or "")
        self.logger.info("request", route=route, status=status, ms=round(took, 1))
        self.metrics.add_metric("latency", "Milliseconds", took)
        self.metrics.add_metric(f"status.{status // 100}xx", "Count", 1)
        self.metrics.flush_metrics()
