"""What is untidy in a space: a report, nothing is changed."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from remembrancer.core.catalogue import PageHead

EVERY_MS = 7 * 86_400_000
MICRO_CHARS = 200
SHOWN = 10


def lint(heads: Sequence[PageHead], contested: Sequence[str], now_ms: int) -> dict[str, list[str]]:
    """Findings by check, in order. `contested` are entries that contradict another one.

    `orphans` are pages to which no page links, `one_way` links (`from > to`) that are not returned, `dangling`
    links to a page that does not exist, `stale` pages past their `stale_after`, `micro` pages of a few words.
    """
    live = {head.slug: head for head in heads}
    linked = {to for head in heads for to in head.links}
    today = datetime.fromtimestamp(now_ms / 1000, UTC).date()
    pairs = [(head.slug, to) for head in heads for to in head.links]
    found = {
        "contradictions": list(contested),
        "orphans": [slug for slug in live if slug not in linked],
        "one_way": [f"{a} > {b}" for a, b in pairs if b in live and a not in live[b].links],
        "dangling": [f"{a} > {b}" for a, b in pairs if b not in live],
        "stale": [head.slug for head in heads if _past(head.stale_after, today)],
        "drafts": [head.slug for head in heads if head.status == "draft"],
        "micro": [head.slug for head in heads if head.chars < MICRO_CHARS and head.kind != "index"],
    }
    return {check: sorted(items) for check, items in found.items()}


def summary(found: Mapping[str, Sequence[str]], now_ms: int) -> dict[str, Any]:
    """The report as the space keeps it: how many of each, and the first of them."""
    return {
        "at_ms": now_ms,
        "counts": {check: len(items) for check, items in found.items()},
        "first": {check: list(items[:SHOWN]) for check, items in found.items() if items},
    }


def due(last: Mapping[str, Any], pending: int, now_ms: int) -> bool:
    """True once a week when nothing is pending."""
    return not pending and now_ms - int(last.get("at_ms", 0)) >= EVERY_MS


def _past(day: str, today: date) -> bool:
    try:
        return date.fromisoformat(day) < today
    except ValueError:
        return False
