"""One turn of a conversation as its caller describes it, and what may be offered to it."""

from dataclasses import dataclass

from remembrancer.core.catalogue import SpaceHead
from remembrancer.core.gate import Verdict
from remembrancer.parts import lanes
from remembrancer.parts.lanes import Offered
from remembrancer.parts.page_level import TYPES, cards
from remembrancer.parts.retrieve import Filter, retrieve
from remembrancer.ports import Ports

TIMEOUT_S = 2.5


@dataclass(frozen=True, slots=True)
class Turn:
    """The request. `message` is the latest text that the user can see; `now` is ISO 8601, empty for our clock.

    `pages` are slugs of the pages that the user looks at; what belongs to them may come whatever the message says.
    """

    session_id: str
    turn_id: str
    message: str
    previous_reply: str = ""
    mode: str = "turn"
    compacted: bool = False
    budget_tokens: int = 1_200
    format: str = "blocks"
    shape: str = "anthropic"
    sent_in_loop: int = 0
    origin: str = "chat"
    verdict: str = ""
    screen_active: bool = False
    pages: tuple[str, ...] = ()
    fork_of: str = ""
    now: str = ""
    zone: str = ""


def skipped(turn: Turn, tier: str) -> str:
    """Why this turn searches nothing; empty when it does."""
    if tier not in ("v2", "v3"):
        return f"tier_{tier}"
    if turn.origin == "voice_front_door":
        return "voice_front_door"
    about_screen = turn.verdict == "escalate_screen" and turn.screen_active
    return "voice_screen" if turn.origin == "voice_escalation" and about_screen else ""


def offer(ports: Ports, space: str, head: SpaceHead, turn: Turn, tier: str, now_ms: int) -> Offered:
    """What the space has for the turn: passages and entries of all lanes (v3), or cards of whole pages (v2)."""
    if reason := skipped(turn, tier):
        return Offered((), Verdict(False, reason))
    sections = tier == "v3"
    found = retrieve(
        ports,
        space,
        head,
        turn.message,
        now_ms=now_ms,
        zone=turn.zone or head.zone,
        wanted=Filter() if sections else Filter(types=TYPES),
        purpose="inject",
        timeout_s=TIMEOUT_S,
        previous_reply=turn.previous_reply,
        around=sections,
        linked=turn.pages if sections else (),
    )
    if sections:
        return lanes.offer(ports, space, head, found, pages=turn.pages)
    verdict = lanes.judge(ports, found)
    return Offered(tuple(cards(found)) if verdict.open else (), verdict, found.degraded)
