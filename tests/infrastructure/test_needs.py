"""The rights of every function are exactly what its action asks of the ports: IAM is not seen locally."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from infra.needs import NEEDS
from infra.routes import ROUTES

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "layers" / "remembrancer" / "python" / "remembrancer"
MEMORY = ("entries", "catalogue", "spaces", "leases", "runs")
WRITES = {
    "add",
    "settle",
    "stamp",
    "restore",
    "put",
    "mark_indexed",
    "rate",
    "update",
    "set_entry",
    "take",
    "renew",
    "release",
}
OTHERS = {
    ("sessions", "record"): "sessions selections:write",
    ("selections", "recent"): "selections:read",
    ("spaces", "note"): "spaces:write",
    ("spaces", "all"): "spaces:read",
    ("tokens", "get"): "tokens:read",
    ("tokens", "put"): "tokens:write",
    ("tokens", "all"): "tokens:write",
    ("pages", "read"): "pages:read",
    ("pages", "names"): "pages:read",
    ("pages", "write"): "pages:write",
    ("pages", "delete"): "pages:delete",
    ("index", "search"): "search:read",
    ("index", "count"): "search:read",
    ("index", "ids"): "search:read",
    ("index", "revs"): "search:write",
    ("index", "put"): "search:write",
    ("events", "start_run"): "runs:start",
    ("events", "running"): "runs:look",
    ("events", "buffer_full"): "bus:put",
}
FREE = {("index", "identity"), ("embedder", "embed"), ("embedder", "identity")}


@cache
def _module(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _uses(path: Path, wanted: frozenset[str] | None) -> Iterator[tuple[str, str]]:
    """(port, method) that these functions and classes of a module reach, all of them for None."""
    tree = _module(path)
    own = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    imported = {
        alias.asname or alias.name: PACKAGE / "parts" / f"{node.module.rpartition('.')[2]}.py"
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("remembrancer.parts.")
        for alias in node.names
        if node.module
    }
    todo, seen = list(own if wanted is None else wanted & own.keys()), set[str]()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for node in ast.walk(own[name]):
            match node:
                case ast.Attribute(
                    value=ast.Attribute(value=ast.Name(id="ports") | ast.Attribute(attr="ports"), attr=port),
                    attr=method,
                ):
                    yield port, method
                case ast.Name(id=called) if called in own:
                    todo.append(called)
                case ast.Name(id=called) if called in imported:
                    yield from _uses(imported[called], frozenset({called}))


def _right(port: str, method: str) -> str:
    if (port, method) in OTHERS:
        return OTHERS[port, method]
    if port == "sessions":
        return "sessions"
    assert port in MEMORY, f"no right is known for ports.{port}.{method}"
    return "memory:write" if method in WRITES else "memory:read"


def _asked(function: str) -> tuple[set[str], bool]:
    used = set(_uses(PACKAGE / "actions" / f"{function}.py", None))
    rights = {right for use in used - FREE if use[0] != "clock" for right in _right(*use).split()}
    if "memory:write" in rights:
        rights.add("memory:read")  # a conditional write reads
    if "pages:write" in rights:
        rights.add("pages:read")
    if "search:write" in rights:
        rights.discard("search:read")
    if any(route.function == function and route.scope != "none" for route in ROUTES):
        rights.add("tokens:read")
    if any(route.function == function and route.method == "POST" for route in ROUTES):
        rights.add("idempotency")
    return rights, any(port in ("index", "embedder") for port, _ in used)


@pytest.mark.parametrize("function", sorted(NEEDS))
def test_a_function_may_do_exactly_what_its_action_does(function: str) -> None:
    rights, embeds = _asked(function)
    assert set(NEEDS[function].rights.split()) == rights
    assert NEEDS[function].embeds == embeds


def test_every_folder_of_functions_is_deployed() -> None:
    folders = {path.parent.name for path in (ROOT / "functions").glob("*/handler.py")}
    assert folders == set(NEEDS)
