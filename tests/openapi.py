"""The OpenAPI document of the whole API, from the handlers. `uv run python -m tests.openapi` writes it."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "functions" / "health" / "openapi.json"


def handlers() -> dict[str, Any]:
    """The HTTP handler of every function that has one, by folder name."""
    found = {}
    for path in sorted((ROOT / "functions").glob("*/handler.py")):
        if "Api()" in path.read_text(encoding="utf-8"):
            found[path.parent.name] = import_module(f"functions.{path.parent.name}.handler").handler
    return found


def document() -> dict[str, Any]:
    """One OpenAPI 3.1 document: all routes, with the error body and the bearer token described once."""
    whole: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Remembrancer", "version": "1", "license": {"name": "Apache-2.0"}},
        "security": [{"bearer": []}],
        "paths": {},
        "components": {
            "schemas": {"Error": ERROR},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }
    for handler in handlers().values():
        part = json.loads(handler.resolver.get_openapi_json_schema(title="Remembrancer", version="1"))
        for path, operations in part["paths"].items():
            for operation in operations.values():
                for status in ("422", "500"):
                    operation["responses"].pop(status, None)
                operation["responses"]["default"] = FAILURE
                operation["parameters"] = [*operation.get("parameters", []), SPACE]
            whole["paths"].setdefault(path, {}).update(operations)
        schemas = part.get("components", {}).get("schemas", {})
        whole["components"]["schemas"].update({k: v for k, v in schemas.items() if "ValidationError" not in k})
    return whole


ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "request_id"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "field": {"type": "string"},
                "request_id": {"type": "string"},
            },
        }
    },
}
FAILURE = {
    "description": "An error",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}
SPACE = {
    "name": "X-Memory-Space",
    "in": "header",
    "required": False,
    "description": "The space of the call; the token's first one when absent.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$"},
}


def text() -> str:
    """The document as it is committed."""
    return json.dumps(document(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(text(), encoding="utf-8")
    sys.stdout.write(f"wrote {DOCUMENT.relative_to(ROOT)}\n")
