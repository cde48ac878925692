"""Body of a page write."""

from typing import Annotated

from pydantic import Field

from remembrancer.shapes import Body, Short


class PageBody(Body):
    """Either the raw file (`markdown`), or `body` with the fields to set."""

    markdown: str | None = None
    body: str | None = None
    title: Short | None = None
    summary: Annotated[str, Field(max_length=2_000)] | None = None
    tags: Annotated[list[Short], Field(max_length=50)] | None = None

    @property
    def fields(self) -> dict[str, object]:
        """The frontmatter fields that the caller names."""
        return self.model_dump(include={"title", "summary", "tags"}, exclude_none=True)
