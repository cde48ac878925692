import json
from pathlib import Path
from typing import Any

import pytest

from infra.app import synth
from tests import embedder

Template = dict[str, Any]


@pytest.fixture(scope="session")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Template]:
    """The templates of two tenants, and of the local variant, by stack name. Layers are not filled."""
    embedder.built()
    return {**made(tmp_path_factory, tenants="acme,globex"), **made(tmp_path_factory, **LOCAL)}


LOCAL = {"tenant": "laptop", "local": "true", "search": "sqlite:///index"}


def made(folders: pytest.TempPathFactory, **context: str) -> dict[str, Template]:
    out = synth({**context, "aws:cdk:bundling-stacks": []}, folders.mktemp("cdk"))
    return {path.name.split(".")[0]: json.loads(path.read_text()) for path in Path(out).glob("*.template.json")}


@pytest.fixture(scope="session")
def acme(assembly: dict[str, Template]) -> Template:
    return assembly["remembrancer-acme"]


@pytest.fixture(scope="session")
def laptop(assembly: dict[str, Template]) -> Template:
    return assembly["remembrancer-laptop"]


def of_type(template: Template, type: str) -> dict[str, Any]:
    """Resources of one type by logical id."""
    return {name: r for name, r in template["Resources"].items() if r["Type"] == type}


def one(template: Template, type: str) -> Any:
    """The only resource of a type."""
    (found,) = of_type(template, type).values()
    return found
