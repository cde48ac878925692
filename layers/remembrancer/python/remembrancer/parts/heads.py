"""The space head, read at most every two seconds by a warm process, and the heads of all pages."""

from remembrancer.core.catalogue import PageHead, SpaceHead
from remembrancer.ports import Ports

KEEP_MS = 2_000
PAGE = 1_000
_kept: dict[str, tuple[int, SpaceHead]] = {}


def recent_head(ports: Ports, space: str) -> SpaceHead:
    """The head as it was within the last two seconds: for switches and word lists, not for compare and swap."""
    now = ports.clock.now_ms()
    at, head = _kept.get(space, (now - KEEP_MS, None))
    if head is None or now - at >= KEEP_MS:
        head = ports.spaces.head(space)
        if len(_kept) > 1_000:
            _kept.clear()
        _kept[space] = (now, head)
    return head


def every_page(ports: Ports, space: str) -> list[PageHead]:
    """All live heads of a space."""
    heads, cursor = ports.catalogue.page(space, limit=PAGE)
    while cursor:
        more, cursor = ports.catalogue.page(space, limit=PAGE, cursor=cursor)
        heads += more
    return heads
