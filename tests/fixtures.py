"""The whole service in this process: one tenant a test module, a space of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import embedder
from tests.system import System, running


@pytest.fixture(scope="module")
def tenant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    folder: Path = tmp_path_factory.mktemp("index")
    with running(embedder.built(), f"sqlite://{folder}/index.sqlite") as system:
        yield system


@pytest.fixture
def system(tenant: System) -> System:
    """The module's tenant with a space of its own for this test."""
    return tenant.fresh_space()
