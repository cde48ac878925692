"""Body of inject."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from remembrancer.shapes import Body, Short

Text = Annotated[str, Field(max_length=10_000)]


class Budget(BaseModel):
    """How much the memory may take."""

    model_config = ConfigDict(extra="forbid")

    tokens: Annotated[int, Field(ge=0, le=100_000)] = 1_200


class RecentTurn(BaseModel):
    """One earlier message of the conversation."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    text: Text


class InjectBody(Body):
    """One turn of a conversation. `message` is the latest text that the user can see.

    `previous_reply` is searched too, its last 2,500 characters, and counts less than the message. `pages` are
    the slugs of pages in view: what belongs to them may come whatever the message says. `now` is ISO 8601, for
    callers with a clock of their own. `shape` and `sent_in_loop` (how many items this send loop has had) matter
    for the format `tool_call` only.
    """

    session_id: str
    turn_id: Annotated[str, Field(min_length=1, max_length=200)]
    message: Annotated[str, Field(min_length=1, max_length=10_000)]
    previous_reply: Annotated[str, Field(max_length=100_000)] = ""
    recent: Annotated[list[RecentTurn], Field(default_factory=list, max_length=6)]
    mode: Literal["full", "turn"] = "turn"
    compacted: bool = False
    budget: Budget = Budget()
    format: Literal["blocks", "tool_call", "system"] = "blocks"
    shape: Literal["anthropic", "openai"] = "anthropic"
    sent_in_loop: Annotated[int, Field(ge=0, le=1_000)] = 0
    origin: Literal["chat", "voice_front_door", "voice_escalation", "background"] = "chat"
    verdict: Short = ""
    screen_active: bool = False
    pages: Annotated[list[Short], Field(default_factory=list, max_length=100)]
    fork_of: Short = ""
    now: Short = ""
    zone: Short = ""
