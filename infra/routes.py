"""The one list of routes: what the stack deploys, what the handlers answer, what the document describes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Route:
    """One route. `scope` is what a token must carry: read, write, admin, or none for an open route."""

    method: str
    path: str
    function: str
    scope: str


ROUTES = (
    Route("POST", "/v1/memory/remember", "remember", "write"),
    Route("POST", "/v1/memory/ingest", "ingest", "write"),
    Route("POST", "/v1/memory/inject", "inject", "read"),
    Route("POST", "/v1/memory/recall", "recall", "read"),
    Route("GET", "/v1/memory/stats", "stats", "read"),
    Route("GET", "/v1/memory/entries", "entries", "read"),
    Route("GET", "/v1/memory/entries/{id}", "entries", "read"),
    Route("POST", "/v1/memory/entries/{id}/restore", "entries", "write"),
    Route("GET", "/v1/memory/pages", "pages", "read"),
    Route("GET", "/v1/memory/pages/{slug+}", "pages", "read"),
    Route("PUT", "/v1/memory/pages/{slug+}", "pages", "write"),
    Route("POST", "/v1/consolidation/run-now", "consolidation", "write"),
    Route("GET", "/v1/consolidation/status", "consolidation", "read"),
    Route("GET", "/v1/consolidation/runs", "consolidation", "read"),
    Route("GET", "/v1/consolidation/runs/{id}", "consolidation", "read"),
    Route("GET", "/v1/tokens", "tokens", "admin"),
    Route("POST", "/v1/tokens", "tokens", "admin"),
    Route("DELETE", "/v1/tokens/{id}", "tokens", "admin"),
    Route("GET", "/v1/health", "health", "none"),
    Route("GET", "/v1/openapi.json", "health", "none"),
    Route("$default", "$default", "health", "none"),
)
