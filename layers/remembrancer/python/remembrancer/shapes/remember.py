"""Body of remember."""

from typing import Annotated, Literal

from pydantic import Field

from remembrancer.shapes import Body, Short


class RememberBody(Body):
    """Facts and their circumstances. `propose {kind, text}` is the same call: `text` stands for `content`."""

    content: str | list[str] | None = None
    text: str | None = None
    kind: Literal["semantic", "episodic", "procedural"] = "semantic"
    source: Short = ""
    session_id: str = ""
    at: Short = ""
    zone: Short = ""
    tags: Annotated[list[Short], Field(default_factory=list, max_length=50)]
    category: Short = ""
    importance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    speaker: Short = ""

    @property
    def contents(self) -> list[str]:
        """The facts as a list, blank ones included."""
        given = self.content if self.content is not None else self.text
        return [] if given is None else [given] if isinstance(given, str) else given
