"""The lanes of one request to the index, made of what a caller asks."""

from collections.abc import Sequence
from dataclasses import dataclass

from remembrancer.core.catalogue import SpaceHead
from remembrancer.core.lanes import CAPS
from remembrancer.core.query import Analysis, lexical, strip_names
from remembrancer.core.twins import LINES
from remembrancer.errors import RemembrancerError
from remembrancer.ports import Lane, Ports, Vector

LINKED = 500
LINKING = 100
REPLY_CHARS = 2_500
MAIN = ("bm25", "knn")
FOUND = (*MAIN, LINES)
"""The lanes of the message itself; what rules filed has a lane of words of its own."""
REPLY = ("reply_bm25", "reply_knn")


@dataclass(frozen=True, slots=True)
class Asked:
    """The lanes, the vector of the message, and the embedder's name when it does not answer."""

    lanes: tuple[Lane, ...]
    vector: "Vector | None"
    degraded: tuple[str, ...]


def ask(
    ports: Ports,
    head: SpaceHead,
    analysis: Analysis,
    previous_reply: str,
    *,
    size: int,
    around: bool,
    linked: Sequence[str],
) -> Asked:
    """Both main lanes of the message for `size` facts, then those that `around` and `linked` add. See `retrieve`.

    In a space with pages a fact may be found twice, as entry and as passage: by words in a lane of its own, by
    cosine in one that asks for twice as many.
    """
    reply = previous_reply[-REPLY_CHARS:] if around else ""
    texts = [analysis.dense, strip_names(reply, head.ubiquitous)]
    degraded: tuple[str, ...] = ()
    vectors: dict[str, Vector] = {}
    try:
        spoken = [text for text in texts if text.strip()]
        vectors = dict(zip(spoken, ports.embedder.embed(spoken, "query"), strict=True)) if spoken else {}
    except RemembrancerError:
        degraded = ("embedder",)
    vector = vectors.get(analysis.dense)
    lanes = _pair(MAIN, analysis.lexical, vector, size, near=2 * size if listed_pages(head) else size)
    lanes += [Lane(LINES, text=analysis.lexical, field=LINES, size=size)] if analysis.lexical else []
    if reply:
        lanes += _pair(REPLY, lexical(reply, head.common), vectors.get(texts[1]), CAPS.reply, near=CAPS.reply)
    if around:
        rare = " ".join(word for word in analysis.lexical.split() if word not in head.common)
        lanes += [Lane("entity", text=rare, field="title", size=CAPS.entity, types=("passage",))] if rare else []
        if listed := listed_pages(head):
            size = len(listed)
            lanes.append(Lane("lists", parents=listed, first=True, types=("passage", "signpost"), size=size))
    if linked:
        lanes.append(Lane("linked", parents=tuple(linked), types=("passage",), size=LINKED))
        words = " ".join(slug.replace("/", " ").replace("-", " ") for slug in linked)
        lanes.append(Lane("linking", text=words, types=("entry",), size=LINKING))
    return Asked(tuple(lanes), vector, degraded)


def listed_pages(head: SpaceHead) -> tuple[str, ...]:
    """The pages of the space's lists: core, hot, fresh."""
    lists = head.lanes
    hot, fresh = lists.get("hot", ())[: CAPS.hot], lists.get("fresh", ())[: CAPS.fresh]
    return tuple(dict.fromkeys([*lists.get("core", ()), *hot, *fresh]))


def _pair(names: tuple[str, str], words: str, vector: "Vector | None", size: int, *, near: int) -> list[Lane]:
    lanes = [Lane(names[0], text=words, size=size)] if words else []
    return lanes + ([Lane(names[1], vector=vector, size=near)] if vector is not None else [])
