"""Body of inject."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from remembrancer.shapes import Body, Short


class Budget(BaseModel):
    """How much the memory block may take."""

    model_config = ConfigDict(extra="forbid")

    tokens: Annotated[int, Field(ge=0, le=100_000)] = 1_200


class InjectBody(Body):
    """One turn of a conversation. `now` is ISO 8601, for callers with a clock of their own."""

    session_id: str
    turn_id: Annotated[str, Field(min_length=1, max_length=200)]
    message: Annotated[str, Field(min_length=1, max_length=10_000)]
    mode: Literal["full", "turn"] = "turn"
    compacted: bool = False
    budget: Budget = Budget()
    now: Short = ""
    zone: Short = ""
