"""API tokens."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Token:
    """An API token; only the hash of its secret is kept."""

    id: str
    sha256: str
    spaces: tuple[str, ...]
    scopes: tuple[str, ...]
    trust: str = "guardian"
    label: str = ""
    created_ms: int = 0
    revoked_ms: int = 0


class Tokens(Protocol):
    """API tokens of the tenant."""

    def get(self, token_id: str) -> Token | None: ...

    def put(self, token: Token) -> None: ...

    def all(self) -> list[Token]: ...
