"""Unit tests reach no network; one that needs a local port says so by the mark `enable_socket`."""

from collections.abc import Iterator

import pytest
from pytest_socket import disable_socket, enable_socket


@pytest.fixture(autouse=True)
def no_sockets(request: pytest.FixtureRequest) -> Iterator[None]:
    if not request.node.get_closest_marker("enable_socket"):
        disable_socket(allow_unix_socket=True)
    yield
    enable_socket()
