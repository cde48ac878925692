"""Body of recall."""

from typing import Annotated, Literal

from pydantic import Field

from remembrancer.shapes import Body, Short


class RecallBody(Body):
    """A query and its limits."""

    query: Annotated[str, Field(max_length=10_000)] = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 8
    kinds: Annotated[
        list[Literal["semantic", "episodic", "procedural"]], Field(default_factory=list, max_length=3)
    ]
    pages: Annotated[list[Short], Field(default_factory=list, max_length=100)]
    after: Short = ""
    before: Short = ""
    include_superseded: bool = False
    what: Literal["", "passages", "entries", "sections", "pages"] = ""
    zone: Short = ""
    strategy: Literal["ranked", "mmr", "weighted"] = "ranked"
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    floor: Annotated[float, Field(ge=0, le=1)] | None = None
