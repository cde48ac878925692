"""One turn of a conversation as its caller describes it, and what may be offered to it."""

from dataclasses import dataclass

from remembrancer.core.catalogue import SpaceHead
from remembrancer.core.choice import Candidate
from remembrancer.core.gate import Verdict, gate, thresholds_for
from remembrancer.parts.retrieve import Filter, Retrieved, retrieve
from remembrancer.ports import Ports

TIMEOUT_S = 2.5


@dataclass(frozen=True, slots=True)
class Turn:
    """The request. `message` is the latest text that the user can see; `now` is ISO 8601, empty for our clock."""

    session_id: str
    turn_id: str
    message: str
    mode: str = "turn"
    compacted: bool = False
    budget_tokens: int = 1_200
    format: str = "blocks"
    shape: str = "anthropic"
    sent_in_loop: int = 0
    origin: str = "chat"
    verdict: str = ""
    screen_active: bool = False
    fork_of: str = ""
    now: str = ""
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """Candidates, best first, the verdict of the gate, and what had to be done without."""

    candidates: tuple[Candidate, ...]
    gate: Verdict
    degraded: tuple[str, ...] = ()


def skipped(turn: Turn, tier: str) -> str:
    """Why this turn searches nothing; empty when it does."""
    if tier not in ("v2", "v3"):
        return f"tier_{tier}"
    if turn.origin == "voice_front_door":
        return "voice_front_door"
    about_screen = turn.verdict == "escalate_screen" and turn.screen_active
    return "voice_screen" if turn.origin == "voice_escalation" and about_screen else ""


def offer(ports: Ports, space: str, head: SpaceHead, turn: Turn, tier: str, now_ms: int) -> Offer:
    """What the space has for the message: passages and entries (v3), or cards of whole pages (v2)."""
    if reason := skipped(turn, tier):
        return Offer((), Verdict(False, reason))
    found = retrieve(
        ports,
        space,
        head,
        turn.message,
        now_ms=now_ms,
        zone=turn.zone or head.zone,
        wanted=Filter() if tier == "v3" else Filter(types=("page",)),
        purpose="inject",
        timeout_s=TIMEOUT_S,
    )
    verdict = judge(ports, found)
    return Offer(candidates(found) if verdict.open else (), verdict, found.degraded)


def candidates(found: Retrieved) -> tuple[Candidate, ...]:
    """What a search found, as candidates of its lane."""
    return tuple(Candidate(ranked.hit.unit, "match", ranked.score) for ranked in found.ranked)


def judge(ports: Ports, found: Retrieved) -> Verdict:
    """Whether the hits are a signal. Without an index there is nothing to judge, and the gate is open."""
    if "index" in found.degraded:
        return Verdict(True, "index_unavailable")
    hits = [ranked.hit for ranked in found.ranked]
    return gate(
        [hit.cosine for hit in hits if hit.cosine is not None],
        [hit.scores.get("bm25", 0.0) for hit in hits],
        thresholds_for(ports.index.identity),
        dense_available=not {"embedder", "knn"}.intersection(found.degraded),
    )
