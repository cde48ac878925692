"""Body of a new token."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from remembrancer.shapes import Body, Short

Scope: TypeAlias = Literal["read", "write", "admin"]


def _usual() -> list[Scope]:
    return ["read", "write"]


class TokenBody(Body):
    """The spaces and scopes of the token; a guest's token never receives memory."""

    spaces: Annotated[list[str], Field(max_length=100)] = Field(default_factory=list)
    scopes: Annotated[list[Scope], Field(min_length=1, default_factory=_usual)]
    trust: Literal["guardian", "guest"] = "guardian"
    label: Short = ""
