"""Whether bucket, catalogue and index say the same; where they do not, each page is made right by itself."""

import random
from collections.abc import Mapping, Sequence

from remembrancer.core.catalogue import PageHead
from remembrancer.errors import Throttled, Unavailable
from remembrancer.parts.indexing import index_entries, put
from remembrancer.parts.pagewrite import page_name
from remembrancer.parts.projecting import project
from remembrancer.ports import Ports

LISTED = 1_000
SAMPLED = 20
LOOKED_AT = 500
"""Entries that are looked up in the index, newest first."""
FOLDER = "concepts/"
FRESH_MS = 10 * 60_000


def drift(ports: Ports, space: str, heads: Sequence[PageHead], seed: str) -> dict[str, int]:
    """`{drift, unembedded}`: what differed and was repaired, and pages that still cannot be indexed.

    A listing that is empty although there are pages proves nothing, and removes nothing.
    """
    stored, documents = _in_bucket(ports, space), _in_index(ports, space)
    live = {head.slug: head for head in heads}
    waiting = {slug for slug, head in live.items() if head.indexed_rev < head.rev}
    suspects = (stored - live.keys()) | ((live.keys() - stored) if stored else set())
    suspects |= _edited(ports, space, live, seed)
    lost = {slug for slug, head in live.items() if _lost(head, documents.get(slug, {}))}
    repaired = unembedded = 0
    for slug in sorted(suspects | lost | waiting):
        try:
            done = project(ports, space, slug, again=slug in lost)
        except (Unavailable, Throttled):
            unembedded += 1
            continue
        repaired += done != "nothing" and slug not in waiting
    if stored or not live:
        repaired += _left_over(ports, space, documents, live.keys() | stored)
    repaired += _entries(ports, space, documents)
    return {"drift": repaired, "unembedded": unembedded}


def _in_bucket(ports: Ports, space: str) -> set[str]:
    found: set[str] = set()
    names = ports.pages.names(space, FOLDER, limit=LISTED)
    while names:
        found |= {name.removeprefix(FOLDER).removesuffix(".md") for name in names if name.endswith(".md")}
        names = ports.pages.names(space, FOLDER, limit=LISTED, after=names[-1])
    return found


def _in_index(ports: Ports, space: str) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for parent, ordinal, rev in ports.index.ids(space):
        found.setdefault(parent, {})[ordinal] = rev
    return found


def _lost(head: PageHead, documents: Mapping[int, int]) -> bool:
    """True for a page that counts as indexed although the index has nothing of its rev."""
    return head.indexed_rev >= head.rev and not head.parse_error and head.rev not in documents.values()


def _edited(ports: Ports, space: str, live: Mapping[str, PageHead], seed: str) -> set[str]:
    """Of some pages those whose bytes are not the ones that the catalogue describes."""
    some = random.Random(seed).sample(sorted(live), min(SAMPLED, len(live)))
    found = set()
    for slug in some:
        stored = ports.pages.read(space, page_name(slug))
        if stored is not None and stored.etag != live[slug].etag:
            found.add(slug)
    return found


def _left_over(ports: Ports, space: str, documents: Mapping[str, Mapping[int, int]], pages: set[str]) -> int:
    """Remove documents of pages and entries that are nowhere any more; how many parents had some."""
    doubtful = sorted(documents.keys() - pages)
    heads = ports.catalogue.heads(space, doubtful)
    entries = ports.entries.get(space, doubtful)
    alive = {slug for slug, head in heads.items() if not head.deleted} | entries.keys()
    gone = [parent for parent in doubtful if parent not in alive]
    ids = [(parent, ordinal, rev + 1) for parent in gone for ordinal, rev in documents[parent].items()]
    if ids:
        put(ports, space, [], ids)
    return len(gone)


def _entries(ports: Ports, space: str, documents: Mapping[str, Mapping[int, int]]) -> int:
    """Index those of the newest active entries that the index lacks; how many. Fresh ones are on their way."""
    before = ports.clock.now_ms() - FRESH_MS
    newest, _ = ports.entries.page(space, status="active", limit=LOOKED_AT)
    missing = [entry for entry in newest if entry.id not in documents and entry.remembered_ms < before]
    return index_entries(ports, space, missing) if missing else 0
