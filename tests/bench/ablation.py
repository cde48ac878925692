"""What each part of the formula is worth: the same questions, answered without it.

What the ranker alone decides is ranked again from the hits of the one search; another query asks the same index;
another text of the units asks an index of its own, beside the first.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from remembrancer.core.english import base_forms
from remembrancer.core.query import Analysis, analyse, lexical
from remembrancer.core.ranking import WEIGHTS, Weights, rank
from remembrancer.core.units import Hit, Unit
from remembrancer.parts.retrieve import SIZE
from remembrancer.ports import Embedded, Index, Lane, Search
from remembrancer.wiring import Wiring, adapter
from tests.bench.figures import Asked, quality
from tests.bench.locomo import Dialogue, Question
from tests.bench.probe import Probe
from tests.bench.retrieval import LIMIT, Known

TERMS = tuple(name for name in asdict(WEIGHTS) if name != "date_inject")
STAGES = ("embedder", "search", "dynamodb")
SIZES = (50, 100, 200)


def as_said(unit: Unit) -> str:
    """The text of an entry as it was remembered, with its speaker."""
    return base_forms(f"{unit.entities[0]}: {unit.shown}" if unit.entities else unit.shown)


TEMPLATES: dict[str, Callable[[Unit], Unit]] = {
    "text template": lambda unit: replace(unit, text=as_said(unit)),
    "vector template": lambda unit: replace(unit, embed=unit.shown),
    "both templates": lambda unit: replace(unit, text=as_said(unit), embed=unit.shown),
    "neighbours' text": lambda unit: replace(unit, ctx=unit.text),
}


@dataclass
class Ablation:
    """Watches the questions of a measurement in this process and answers each again in every other way."""

    wired: Wiring
    probe: Probe
    asked: dict[str, list[Asked]] = field(default_factory=dict)
    stages: dict[str, list[float]] = field(default_factory=dict)
    _beside: dict[str, Index] = field(default_factory=dict)

    def __call__(self, space: str, dialogue: Dialogue, question: Question, known: Known, seconds: float) -> None:
        """See `retrieval.Watch`."""
        if self.probe.searched is None:
            raise RuntimeError("a question was answered without a search")
        search, found = self.probe.searched
        if self._beside:
            for stage in STAGES:
                self.stages.setdefault(stage, []).append(self.probe.seconds(stage))
            self.stages.setdefault("own", []).append(seconds - self.probe.seconds())
        else:
            self._build()  # the waits so far are those of the whole loading
        place = known.place
        about = known.question(question)

        def answer(name: str, hits: Sequence[Hit], analysis: Analysis, **more: Any) -> None:
            ranked = rank(hits, analysis, **more)[:LIMIT]
            results = tuple((place[one.hit.unit.parent],) for one in ranked)
            self.asked.setdefault(name, []).append(Asked(dialogue.name, about, results))

        head = self.wired.spaces.head(space)
        analysis = analyse(
            question.text,
            ubiquitous=head.ubiquitous,
            common=head.common,
            years=head.years,
            now_ms=self.wired.clock.now_ms(),
            zone=head.zone,
        )
        answer("", found.hits, analysis)
        for term in TERMS:
            answer(term, found.hits, analysis, weights=replace(WEIGHTS, **{term: 0.0}))
        answer("every term", found.hits, analysis, weights=Weights(*[0.0] * len(asdict(WEIGHTS))))
        answer("date at its weight of inject", found.hits, analysis, purpose="inject")
        far = [replace(hit, cosine=None, ctx_cosine=None) for hit in found.hits if "bm25" in hit.scores]
        answer("dense lane", far, analysis)
        answer("lexical lane", [hit for hit in found.hits if "knn" in hit.scores], analysis, lexical="none")
        for name, other in self._queries(question.text, search, head.common).items():
            answer(name, self.wired.index.search(other).hits, analysis)
        for name, index in self._beside.items():
            answer(name, index.search(search).hits, analysis)
        self.probe.waits.clear()

    def _queries(self, text: str, search: Search, common: Sequence[str]) -> dict[str, Search]:
        raw = self.wired.embedder.embed([text], "query")[0]
        words = {"dropping common words": lexical(text, ()), "dropping function words": base_forms(text)}
        made = {name: _with(search, text=said) for name, said in words.items()}
        made["dropping names from the dense query"] = _with(search, vector=raw)
        for size in SIZES:
            made[f"{SIZE['recall']} candidates a lane ({size})"] = _with(search, size=size)
        return made

    def _build(self) -> None:
        """The indexes with other texts, from the units that were written to the first."""
        embedder = self.wired.embedder
        written = {(space, one.unit.parent): one for space, one in self.probe.written}
        for name, change in TEMPLATES.items():
            url = beside(self.wired.settings.search, name.replace(" ", "-").replace("'", ""))
            index: Index = adapter("index", url)(url, embedder.identity, embedder.dimension)
            units: dict[str, list[Embedded]] = {}
            for (space, _), one in written.items():
                units.setdefault(space, []).append(replace(one, unit=change(one.unit)))
            for space, mine in units.items():
                if "vector" in name or "both" in name:
                    vectors = embedder.embed([one.unit.embed for one in mine], "document")
                    mine = [replace(one, vector=v) for one, v in zip(mine, vectors, strict=True)]
                if failed := index.put(space, mine):
                    raise RuntimeError(f"{len(failed)} documents were not indexed")
            index.refresh()
            self._beside[name] = index
        self.probe.waits.clear()

    def table(self, sessions: dict[str, Sequence[int]]) -> dict[str, Any]:
        """Figures of the whole formula, and for each thing removed what is lost or (below zero) won by that."""
        whole = quality(self.asked[""], sessions)
        without = {name: quality(rows, sessions) for name, rows in self.asked.items() if name}
        return {
            "whole": whole,
            "lost_without": {
                name: {key: round(whole[key] - value, 4) for key, value in row.items()}
                for name, row in without.items()
            },
        }


def _with(search: Search, **changes: Any) -> Search:
    """The same search with other words, another vector or another size."""
    lanes = tuple(_lane(lane, changes) for lane in search.lanes)
    return replace(search, lanes=lanes, vector=changes.get("vector", search.vector))


def _lane(lane: Lane, changes: dict[str, Any]) -> Lane:
    own = "vector" if lane.vector is not None else "text"
    return replace(lane, **{key: value for key, value in changes.items() if key in (own, "size")})


def beside(url: str, name: str) -> str:
    """The URL of another index at the same place."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return urlunsplit(parts._replace(path=f"{parts.path}-{name}"))
    return urlunsplit(parts._replace(query=urlencode({"prefix": f"bench-{name}"})))
