"""Every route answers errors in one body, and checks the caller before anything else."""

import pytest

from infra.routes import ROUTES
from tests.system import Reply, System

OPEN = {"/v1/health", "/v1/openapi.json", "$default"}
GUARDED = [route for route in ROUTES if route.path not in OPEN]


def url(path: str) -> str:
    return path.replace("{slug+}", "people/ada").replace("{id}", "01JDZZ3Q4R5S6T7V8W9X0Y1Z2A")


def body(route: object) -> object:
    method = getattr(route, "method", "")
    return {} if method in ("POST", "PUT") else None


def error(reply: Reply) -> tuple[int, str]:
    found = reply.json["error"]
    assert found["message"] and found["request_id"], reply.text
    assert reply.headers["X-Request-Id"] == found["request_id"]
    return reply.status, found["code"]


@pytest.mark.parametrize("route", GUARDED, ids=lambda r: f"{r.method} {r.path}")
def test_no_token_is_401_on_every_route(tenant: System, route: object) -> None:
    reply = tenant.call(route.method, url(route.path), body(route), token="")  # type: ignore[attr-defined]
    assert error(reply) == (401, "unauthorized")
    assert reply.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("route", GUARDED, ids=lambda r: f"{r.method} {r.path}")
def test_another_space_is_403_on_every_route(tenant: System, route: object) -> None:
    reply = tenant.call(route.method, url(route.path), body(route), x_memory_space="other")  # type: ignore[attr-defined]
    assert error(reply) == (403, "forbidden")


@pytest.mark.parametrize("space", ["*", "%", "..", "a/b", " ", "a b", "x" * 101, "-a", "ä", "a\u0000"])
def test_a_space_that_is_no_name_is_400(tenant: System, space: str) -> None:
    reply = tenant.call("GET", "/v1/memory/stats", x_memory_space=space)
    assert error(reply) == (400, "invalid")


def test_a_space_in_the_body_must_be_the_token_s(tenant: System) -> None:
    reply = tenant.call("POST", "/v1/memory/recall", {"query": "x", "space": "other"})
    assert error(reply) == (403, "forbidden")


def test_a_wrong_secret_and_an_unknown_token_are_401(tenant: System) -> None:
    head, _, _ = tenant.token.rpartition("_")
    for token in (f"{head}_{'x' * 43}", "rmb_01JDZZ3Q4R5S6T7V8W9X0Y1Z2A_" + "y" * 43, "rmb", "x" * 5_000):
        assert error(tenant.call("GET", "/v1/memory/stats", token=token)) == (401, "unauthorized")


def test_a_missing_scope_is_403(tenant: System) -> None:
    reader = tenant.issue([tenant.space], ["read"])
    reply = tenant.call("POST", "/v1/memory/remember", {"content": "x"}, token=reader)
    assert error(reply) == (403, "forbidden")
    assert tenant.call("GET", "/v1/memory/stats", token=reader).status == 200


def test_a_body_that_is_not_json_is_400(tenant: System) -> None:
    for raw in ("{", "nul", "[" * 100_000, '{"content": '):
        assert error(tenant.call("POST", "/v1/memory/remember", raw=raw)) == (400, "invalid")


def test_another_content_type_is_415(tenant: System) -> None:
    reply = tenant.call("POST", "/v1/memory/remember", {"content": "x"}, content_type="text/plain")
    assert error(reply) == (415, "unsupported")


def test_seven_megabytes_are_413(tenant: System) -> None:
    reply = tenant.call("POST", "/v1/memory/ingest", raw='{"pages": "' + "x" * 7_000_000 + '"}')
    assert error(reply) == (413, "too_large")


def test_an_unknown_route_is_404(tenant: System) -> None:
    assert error(tenant.call("GET", "/v1/nothing", token="")) == (404, "not_found")
    assert error(tenant.call("DELETE", "/v1/memory/stats")) == (404, "not_found")


def test_two_hundred_and_one_pages_are_400(tenant: System) -> None:
    pages = [{"slug": f"p-{n}", "content": "text"} for n in range(201)]
    reply = tenant.call("POST", "/v1/memory/ingest", {"pages": pages})
    assert error(reply) == (400, "invalid")
    assert reply.json["error"]["field"] == "pages"


def test_a_revoked_token_ends(tenant: System) -> None:
    made = tenant.call("POST", "/v1/tokens", {"spaces": ["garden"], "scopes": ["read"]}).json
    assert tenant.call("DELETE", f"/v1/tokens/{made['id']}").status == 200
    assert error(tenant.call("GET", "/v1/memory/stats", token=made["token"])) == (401, "unauthorized")


def test_health_names_every_part(tenant: System) -> None:
    reply = tenant.call("GET", "/v1/health", token="")
    assert reply.json == {"ready": True, "parts": {"table": "ok", "bucket": "ok", "index": "ok"}}
