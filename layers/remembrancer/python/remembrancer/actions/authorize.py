"""Who calls, and for which space: bearer token to caller."""

import hashlib
import hmac
import re
from dataclasses import dataclass

from remembrancer.core.slugs import check_identifier
from remembrancer.errors import Forbidden, Invalid, Unauthorized
from remembrancer.ports import Token, Tokens

CACHE_MS = 60_000
_BEARER = re.compile(r"Bearer +rmb_([0-9A-Za-z]{1,40})_([0-9A-Za-z_-]{16,100})", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Caller:
    """A known token and the space that this call is about (empty when the token carries none)."""

    token: Token
    space: str

    @property
    def guest(self) -> bool:
        """True when memory may not be given to this caller."""
        return self.token.trust == "guest"


def authenticate(tokens: Tokens, cache: dict[str, tuple[int, Token]], now_ms: int, header: str) -> Token:
    """The token of an Authorization header. Raises `Unauthorized`.

    `cache` keeps tokens for a minute, so a revocation takes effect within that time.
    """
    match = _BEARER.fullmatch(header.strip())
    if not match:
        raise Unauthorized("a bearer token is required")
    token_id, secret = match.groups()
    seen, token = cache.get(token_id, (now_ms - CACHE_MS, None))
    if token is None or now_ms - seen >= CACHE_MS:
        token = tokens.get(token_id)
        if token is not None:
            cache[token_id] = (now_ms, token)
    given = hashlib.sha256(secret.encode()).hexdigest()
    if token is None or token.revoked_ms or not hmac.compare_digest(token.sha256, given):
        raise Unauthorized("the token is not known or no longer valid")
    return token


def authorize(token: Token, space: str, scope: str) -> Caller:
    """The caller with its space ("" means the token's first). Raises `Forbidden`, and `Invalid` for a bad name."""
    if space:
        check_identifier(space, "X-Memory-Space")
    if scope not in token.scopes:
        raise Forbidden(f"the token lacks the scope '{scope}'")
    if space and space not in token.spaces:
        raise Forbidden("the token does not carry this space")
    chosen = space or (token.spaces[0] if token.spaces else "")
    if not chosen and scope != "admin":
        raise Invalid("name a space", field="X-Memory-Space")
    return Caller(token, chosen)
