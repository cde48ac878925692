"""The plain peers: BM25 and cosine over the turns as they were said, and the equal-weight fusion of both."""

from collections.abc import Sequence

from remembrancer.core.fusion import reciprocal_ranks
from remembrancer.core.units import Hit, Unit
from remembrancer.ports import Embedded, Embedder, Index, Lane, Search
from remembrancer.wiring import Wiring, adapter
from tests.bench.ablation import beside
from tests.bench.locomo import Dialogue, Turn

SIZE = 100
BATCH = 100
K = 60


def said(turn: Turn) -> str:
    """The text of a turn as every peer gets it: with its speaker, without day and neighbours."""
    return f"{turn.speaker}: {turn.text}"


def lane(hits: Sequence[Hit], name: str) -> list[str]:
    """Parents of the hits of one lane, best first."""
    mine = [hit for hit in hits if name in hit.scores]
    return [hit.unit.parent for hit in sorted(mine, key=lambda hit: (-hit.scores[name], hit.id))]


def fused(lists: Sequence[Sequence[str]]) -> list[str]:
    """All items by the sum of their reciprocal ranks, best first; equal ones in the order of the lists."""
    scores = reciprocal_ranks(lists, K)
    return sorted(scores, key=lambda item: -scores[item])


class Plain:
    """An index of its own at the same place, with the same analyzer, and an embedder with caches of its own."""

    def __init__(self, wired: Wiring) -> None:
        chosen = wired.settings
        self._embedder: Embedder = adapter("embedder", chosen.embedder)(chosen.embedder)
        url, identity = beside(chosen.search, "plain"), f"{self._embedder.identity}:plain"
        self._index: Index = adapter("index", url)(url, identity, self._embedder.dimension)

    def put(self, space: str, dialogue: Dialogue) -> None:
        """Index every turn; its parent is its place in the dialogue."""
        texts = [said(turn) for turn in dialogue.turns]
        units = [Unit("entry", str(place), 0, 1, text, text, "", text) for place, text in enumerate(texts)]
        for start in range(0, len(units), BATCH):
            part = units[start : start + BATCH]
            vectors = self._embedder.embed([unit.embed for unit in part], "document")
            made = [Embedded(unit, vector, vector) for unit, vector in zip(part, vectors, strict=True)]
            if failed := self._index.put(space, made):
                raise RuntimeError(f"{len(failed)} documents were not indexed")
        self._index.refresh()

    def search(self, space: str, question: str) -> dict[str, list[int]]:
        """Places of turns by peer, best first, from one request of two lanes."""
        vector = self._embedder.embed([question], "query")[0]
        lanes = (Lane("bm25", text=question, size=SIZE), Lane("knn", vector=vector, size=SIZE))
        hits = self._index.search(Search(space, lanes, types=("entry",))).hits
        words, near = lane(hits, "bm25"), lane(hits, "knn")
        found = {"bm25": words, "dense": near, "rrf60": fused([words, near])}
        return {peer: [int(place) for place in ranked] for peer, ranked in found.items()}
