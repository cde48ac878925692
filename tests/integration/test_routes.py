"""One list of routes: what the template deploys is what the handlers answer and what the document says."""

from infra.routes import ROUTES
from tests import openapi


def test_handlers_answer_exactly_the_routes_of_the_template() -> None:
    answered = {
        (method, path, name, scope)
        for name, handler in openapi.handlers().items()
        for (method, path), scope in handler.scopes.items()
    }
    deployed = {(r.method, r.path, r.function, r.scope) for r in ROUTES if r.path != "$default"}
    assert answered == deployed


def test_the_committed_openapi_document_is_current() -> None:
    assert openapi.DOCUMENT.read_text(encoding="utf-8") == openapi.text()


def test_operation_ids_are_unique_and_stable() -> None:
    operations = [op["operationId"] for path in openapi.document()["paths"].values() for op in path.values()]
    assert len(operations) == len(set(operations))
    assert "memory_ingest_post" in operations
