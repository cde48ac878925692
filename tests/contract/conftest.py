"""Real adapters on the emulator; each test has a space of its own."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from remembrancer.adapters.dynamodb import Expiring, Memory
from remembrancer.adapters.s3 import S3Pages
from remembrancer.adapters.system_clock import SystemClock
from tests import ministack


@dataclass
class FakeClock:
    """A clock that stands still until it is moved; its ids are real.

    It begins in the far future, so that the emulator's own clock ends nothing meanwhile.
    """

    now: int = 3_000_000_000_000

    def __post_init__(self) -> None:
        self._real = SystemClock()

    def now_ms(self) -> int:
        return self.now

    def new_id(self) -> str:
        return self._real.new_id()


@pytest.fixture(scope="session")
def tenant() -> Iterator[str]:
    """The prefix of two tables and a bucket that this session made."""
    name = "contract-" + secrets.token_hex(4)
    ministack.create(name)
    with ministack.environment():
        yield name


@pytest.fixture
def space() -> str:
    return "space-" + secrets.token_hex(6)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(tenant: str, clock: FakeClock) -> Memory:
    return Memory(f"dynamodb://{tenant}-memory", clock)


@pytest.fixture
def expiring(tenant: str, clock: FakeClock) -> Expiring:
    return Expiring(f"dynamodb://{tenant}-expiring", clock)


@pytest.fixture
def pages(tenant: str) -> S3Pages:
    return S3Pages(f"s3://{tenant}-pages")
