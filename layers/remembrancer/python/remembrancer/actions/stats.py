"""What a space holds and how its parts are doing."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from remembrancer.core.catalogue import tier
from remembrancer.core.dates import format_instant
from remembrancer.errors import RemembrancerError
from remembrancer.ports import Ports

PAGE = 1_000


def stats(ports: Ports, space: str) -> dict[str, Any]:
    """Counts from the truth; the index is asked too, and null when it does not answer."""
    with ThreadPoolExecutor(4) as pool:
        head_ = pool.submit(ports.spaces.head, space)
        counts_ = pool.submit(ports.entries.counts, space)
        pages_ = pool.submit(_pages, ports, space)
        documents_ = pool.submit(_documents, ports, space)
        head, counts, pages, documents = head_.result(), counts_.result(), pages_.result(), documents_.result()
    now = tier(head)
    return {
        "tier": now,
        "graph_supported": now == "v3",
        "concepts": pages["concepts"],
        "sections": pages["sections"],
        "unindexed": pages["unindexed"],
        "quarantined": pages["quarantined"],
        "entries": {
            "pending": counts["pending"],
            "active": counts["active"],
            "superseded": counts["superseded"],
        },
        "buffer": {
            "entries": counts["pending"],
            "lines": counts["lines"],
            "oldest_at": format_instant(counts["oldest_ms"]) if counts["oldest_ms"] else None,
        },
        "index": {"documents": documents, "identity": ports.index.identity},
        "consolidation": {"last_run": head.last_run or None, "backoff": head.backoff or None},
    }


def _documents(ports: Ports, space: str) -> int | None:
    try:
        return ports.index.count(space)
    except RemembrancerError:
        return None


def _pages(ports: Ports, space: str) -> dict[str, int]:
    found = {"concepts": 0, "sections": 0, "unindexed": 0, "quarantined": 0}
    cursor = ""
    while True:
        heads, cursor = ports.catalogue.page(space, limit=PAGE, cursor=cursor)
        found["concepts"] += len(heads)
        found["sections"] += sum(len(head.sections) for head in heads)
        found["unindexed"] += sum(head.indexed_rev < head.rev for head in heads)
        found["quarantined"] += sum(bool(head.parse_error) for head in heads)
        if not cursor:
            return found
