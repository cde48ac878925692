"""Request bodies of the HTTP API, one module a verb."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Short = Annotated[str, Field(max_length=200)]


class Body(BaseModel):
    """Base of request bodies: unknown fields are refused; a `space` must be the one that the token carries."""

    model_config = ConfigDict(extra="forbid")

    space: str | None = None
