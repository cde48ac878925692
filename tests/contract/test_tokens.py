from dataclasses import replace

from remembrancer.adapters.dynamodb import Memory
from remembrancer.ports import Token
from tests.contract.conftest import FakeClock


def token(clock: FakeClock) -> Token:
    return Token(clock.new_id(), "f" * 64, ("home", "work"), ("read",), "guest", "phone", created_ms=5)


def test_a_token_comes_back_whole(memory: Memory, clock: FakeClock) -> None:
    made = token(clock)
    memory.tokens.put(made)
    assert memory.tokens.get(made.id) == made


def test_an_unknown_token_is_none(memory: Memory) -> None:
    assert memory.tokens.get("01UNKNOWN") is None
    assert memory.tokens.get("") is None


def test_a_token_is_replaced_when_it_is_revoked(memory: Memory, clock: FakeClock) -> None:
    made = token(clock)
    memory.tokens.put(made)
    memory.tokens.put(replace(made, revoked_ms=9))
    found = [other for other in memory.tokens.all() if other.id == made.id]
    assert found == [replace(made, revoked_ms=9)]


def test_all_tokens_are_listed(memory: Memory, clock: FakeClock) -> None:
    made = [token(clock) for _ in range(3)]
    for one in made:
        memory.tokens.put(one)
    assert {one.id for one in made} <= {one.id for one in memory.tokens.all()}
