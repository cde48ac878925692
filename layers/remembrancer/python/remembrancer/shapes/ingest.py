"""Body of ingest."""

from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from remembrancer.shapes import Body


class PageDraft(BaseModel):
    """One page as it is to be stored: markdown, with frontmatter if it has any."""

    model_config = ConfigDict(extra="forbid")

    slug: str
    content: str


class IngestBody(Body):
    """1 to 200 pages."""

    pages: Annotated[list[PageDraft], Field(min_length=1, max_length=200)]
    dry_run: Annotated[bool, Field(validation_alias=AliasChoices("dry_run", "dryRun"))] = False
    overwrite: bool = False
