"""The whole service in this process, for faults between its steps."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import embedder
from tests.system import System, running


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    folder: Path = tmp_path_factory.mktemp("index")
    with running(embedder.built(), f"sqlite://{folder}/index.sqlite") as system:
        yield system


@pytest.fixture
def system(whole: System) -> System:
    return whole.fresh_space()
