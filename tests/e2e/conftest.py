"""A folder for one local system, which is taken down at the end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.deployed import remembrancer


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "home"
    remembrancer(tmp_path / "home", "down")
