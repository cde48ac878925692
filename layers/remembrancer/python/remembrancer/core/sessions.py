"""The record of what one conversation has been sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Resident:
    """One unit that a session has been sent in this epoch. `bytes` counts its rendered text."""

    unit: str
    bytes: int
    injected_ms: int
    last_selected_ms: int
    pruned: bool = False


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """What has been injected into one conversation. `rev` 0 means that there is no record yet.

    `last_inject_id` is the newest entry id that had been seen at the last inject of this session.
    """

    session_id: str
    rev: int = 0
    epoch: int = 1
    last_inject_id: str = ""
    updated_ms: int = 0
    residents: Mapping[str, Resident] = field(default_factory=dict)
