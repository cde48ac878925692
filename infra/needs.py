"""What every function may do, and how much of a machine it gets. Plain data; stack.py makes grants of it."""

from dataclasses import dataclass

HTTP_S = 29
TASK_S = 840


@dataclass(frozen=True)
class Needs:
    """What a function may do, and how much of a machine it gets."""

    rights: str
    seconds: int = HTTP_S
    memory_mb: int = 512
    embeds: bool = False
    """Reads the model's folder: it embeds, or it opens the index, which belongs to one model."""
    asynchronous: bool = False


READS = "memory:read"
WRITES = "memory:read memory:write"
CALLED = "tokens:read"
POSTED = "tokens:read idempotency"
PAGES = "pages:read pages:write"
UNDO = f"{PAGES} pages:delete"
NEEDS = {
    "remember": Needs(f"{POSTED} {WRITES} runs:start runs:look", memory_mb=1024),
    "ingest": Needs(f"{POSTED} {WRITES} {PAGES}", memory_mb=1024),
    "inject": Needs(
        f"{POSTED} {READS} sessions selections:write pages:read search:read", memory_mb=1769, embeds=True
    ),
    "recall": Needs(f"{POSTED} {READS} search:read", memory_mb=1769, embeds=True),
    "stats": Needs(f"{CALLED} {READS} search:read", embeds=True),
    "entries": Needs(f"{POSTED} {WRITES}"),
    "pages": Needs(f"{CALLED} {WRITES} {PAGES} search:write", memory_mb=1769, embeds=True),
    "consolidation": Needs(f"{POSTED} {READS} runs:start runs:look"),
    "tokens": Needs(f"{POSTED} tokens:write"),
    "health": Needs(f"{READS} pages:read search:read", embeds=True),
    "index_pages": Needs(f"{WRITES} {UNDO} search:write", seconds=120, memory_mb=1769, embeds=True),
    "index_entries": Needs(f"{READS} spaces:write bus:put search:write", seconds=120, memory_mb=1769, embeds=True),
    "due": Needs(f"{WRITES} spaces:read runs:start", seconds=300, asynchronous=True),
    "gate": Needs(f"{WRITES} runs:look", seconds=TASK_S),
    "plan": Needs(f"{WRITES} {UNDO} search:read", seconds=TASK_S, memory_mb=1769, embeds=True),
    "file": Needs(f"{WRITES} {UNDO} search:write", seconds=TASK_S, memory_mb=1769, embeds=True),
    "settle": Needs(f"{WRITES} pages:read", seconds=TASK_S),
    "views": Needs(f"{WRITES} {PAGES}", seconds=TASK_S, memory_mb=1024),
    "maintain": Needs(
        f"{WRITES} {UNDO} selections:read search:write", seconds=TASK_S, memory_mb=1769, embeds=True
    ),
    "release": Needs(f"{WRITES} {UNDO}", seconds=TASK_S),
}
"""Every function by its folder."""
