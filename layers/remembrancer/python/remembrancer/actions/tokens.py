"""Make, list and revoke API tokens."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from remembrancer.core.dates import format_instant
from remembrancer.core.slugs import check_identifier
from remembrancer.errors import Invalid, NotFound
from remembrancer.ports import Ports, Token

SCOPES = ("read", "write", "admin")


def create_token(
    ports: Ports, spaces: Sequence[str], scopes: Sequence[str], *, trust: str = "guardian", label: str = ""
) -> dict[str, Any]:
    """A new token; its text is shown this once and never again."""
    for place, space in enumerate(spaces):
        check_identifier(space, f"spaces.{place}")
    if not scopes or any(scope not in SCOPES for scope in scopes):
        raise Invalid(f"some of {', '.join(SCOPES)}", field="scopes")
    if not spaces and tuple(scopes) != ("admin",):
        raise Invalid("a token without a space can only administer", field="spaces")
    secret = secrets.token_urlsafe(32)
    token = Token(
        id=ports.clock.new_id(),
        sha256=hashlib.sha256(secret.encode()).hexdigest(),
        spaces=tuple(dict.fromkeys(spaces)),
        scopes=tuple(dict.fromkeys(scopes)),
        trust=trust,
        label=label,
        created_ms=ports.clock.now_ms(),
    )
    ports.tokens.put(token)
    return {**shown(token), "token": f"rmb_{token.id}_{secret}"}


def list_tokens(ports: Ports) -> dict[str, Any]:
    """All tokens without their secrets."""
    return {"items": [shown(token) for token in ports.tokens.all()]}


def revoke_token(ports: Ports, token_id: str) -> dict[str, Any]:
    """End a token; it may be accepted for up to 60 s more. Raises `NotFound`."""
    token = ports.tokens.get(token_id)
    if token is None:
        raise NotFound("no such token")
    if not token.revoked_ms:
        token = replace(token, revoked_ms=ports.clock.now_ms())
        ports.tokens.put(token)
    return shown(token)


def shown(token: Token) -> dict[str, Any]:
    """A token as administrators see it."""
    return {
        "id": token.id,
        "spaces": list(token.spaces),
        "scopes": list(token.scopes),
        "trust": token.trust,
        "label": token.label,
        "created_at": format_instant(token.created_ms),
        "revoked_at": format_instant(token.revoked_ms) if token.revoked_ms else None,
    }
