"""The static block of a space: core blocks, views and the buffer."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from remembrancer.core.catalogue import SpaceHead
from remembrancer.core.entries import Entry
from remembrancer.core.info import info_block
from remembrancer.ports import Ports

CORE = ("persona", "user", "facts", "context")
VIEWS = ("essentials", "threads", "recent")


def view_name(view: str) -> str:
    """The name of a view's object below the space."""
    return f"core/{view}.md" if view in CORE else f"views/{view}.md"


def info(ports: Ports, space: str, head: SpaceHead, pending: Sequence[Entry]) -> str:
    """The block as text. Views come from the bucket by version, so a warm process reads none of them again."""
    stored = [view for view in CORE + VIEWS if head.views.get(view)]
    if not stored:
        return info_block({}, {}, pending)
    with ThreadPoolExecutor(len(stored)) as pool:
        objects = pool.map(lambda v: ports.pages.read(space, view_name(v), version=head.views[v]), stored)
        texts = {
            view: found.body.decode("utf-8", "replace")
            for view, found in zip(stored, objects, strict=True)
            if found is not None
        }
    core = {view: text for view, text in texts.items() if view in CORE}
    views = {view: text for view, text in texts.items() if view in VIEWS}
    return info_block(core, views, pending)
