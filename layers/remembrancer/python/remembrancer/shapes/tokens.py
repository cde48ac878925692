"""Body of a new token."""

from typing import Annotated, Literal

from pydantic import Field

from remembrancer.shapes import Body, Short


class TokenBody(Body):
    """The spaces and scopes of the token; a guest's token never receives memory."""

    spaces: Annotated[list[str], Field(max_length=100)] = Field(default_factory=list)
    scopes: Annotated[list[Literal["read", "write", "admin"]], Field(min_length=1)] = Field(
        default_factory=lambda: ["read", "write"]
    )
    trust: Literal["guardian", "guest"] = "guardian"
    label: Short = ""
