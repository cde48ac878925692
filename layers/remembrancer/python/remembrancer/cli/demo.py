"""The main job on sample text, against the local system: every step is a call of the HTTP API and is checked."""

import json
import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from remembrancer.cli import local, sample
from remembrancer.cli.calls import Api, Refused
from remembrancer.cli.local import NotHere
from remembrancer.cli.show import Screen

INDEX_S = 60
RUN_S = 180


@dataclass
class Demo:
    """One pass through the story in a space of its own."""

    api: Api
    screen: Screen
    steps: list[dict[str, Any]] = field(default_factory=list)
    told: dict[str, Any] = field(default_factory=dict)
    probe: str = ""
    """The entry whose way is followed."""

    def step(self, name: str, act: Callable[[], bool]) -> None:
        """Run one step; after a failed one nothing is tried any more."""
        begin = time.perf_counter()
        ok, error = False, ""
        if not all(step["ok"] for step in self.steps):
            error = "not tried"
        else:
            try:
                ok = act()
            except Refused as refused:
                error = str(refused)
        done = {"name": name, "ok": ok, "ms": round((time.perf_counter() - begin) * 1000)}
        self.steps.append({**done, **({"error": error} if error else {})})
        self.screen.step(self.steps[-1])

    def remember(self) -> bool:
        """Twelve facts, one call each."""
        replies = []
        for fact in sample.facts():
            probe = fact.pop("probe", False)
            replies += self.api.post("/v1/memory/remember", fact)["entries"]
            if probe:
                self.probe = replies[-1]["id"]
        return [reply["status"] for reply in replies] == ["stored"] * 12

    def inject_at_once(self) -> bool:
        """A new conversation sees the facts, before any index or consolidation has."""
        reply = self._inject("1", "full", "What should I know before cooking for Mara?")
        text = next(f["content"] for f in sample.facts() if f.get("probe")).split(" [[")[0]
        self.told["fact_in_inject_before_consolidation"] = text in "\n".join(reply["blocks"].values())
        return bool(self.told["fact_in_inject_before_consolidation"])

    def ingest(self) -> bool:
        """Five finished pages."""
        return bool(self.api.post("/v1/memory/ingest", {"pages": sample.pages()})["written"] == 5)

    def recall(self) -> bool:
        """The page that answers a question asked in other words; the index follows within seconds."""
        end = time.monotonic() + INDEX_S
        while time.monotonic() < end:
            results = self.api.post("/v1/memory/recall", {"query": sample.QUESTION})["results"]
            if results and results[0].get("slug") == sample.ANSWER:
                self.screen.answer(sample.QUESTION, results[0])
                return True
            time.sleep(0.2)
        return False

    def consolidate(self) -> bool:
        """File all pending facts into pages."""
        record = self._run()
        self.told["pending_after"] = self.api.get("/v1/memory/stats")["entries"]["pending"]
        return record.get("status") == "progress" and self.told["pending_after"] == 0

    def read_page(self) -> bool:
        """The page that the followed fact was filed into, with the line that cites it."""
        for slug, text in self._pages().items():
            for line in text.splitlines():
                if f"^{self.probe}" in line:
                    self.told["page"] = {"slug": slug, "line": line, "entry": self.probe}
                    self.screen.page(slug, text)
                    return True
        return False

    def inject_again(self) -> bool:
        """The next turn of the same conversation gets what is new to it."""
        reply = self._inject("2", "turn", sample.QUESTION)
        self.told["inject"] = reply["blocks"]
        return "memory" in reply["blocks"]

    def second_run(self) -> bool:
        """Consolidating again with nothing new changes no byte of any page."""
        before = self._pages()
        self._run()
        after = self._pages()
        changed = [slug for slug in before.keys() | after.keys() if before.get(slug) != after.get(slug)]
        self.told["bytes_changed_by_second_run"] = sum(
            len((after.get(slug) or before[slug]).encode()) for slug in changed
        )
        return not changed

    def _inject(self, turn: str, mode: str, message: str) -> dict[str, Any]:
        body = {"session_id": "demo", "turn_id": turn, "mode": mode, "message": message}
        reply: dict[str, Any] = self.api.post("/v1/memory/inject", body)
        self.screen.blocks(message, reply["blocks"])
        return reply

    def _run(self) -> dict[str, Any]:
        """Start a run and wait for its end; its record, empty when nothing waits."""
        begin = time.monotonic()
        run = self.api.post("/v1/consolidation/run-now")["run"]
        while run and time.monotonic() - begin < RUN_S:
            found = [r for r in self.api.get("/v1/consolidation/runs")["items"] if r["run"] == run]
            if found and found[0]["status"] != "running":
                return dict(found[0])
            time.sleep(0.2)
        if run:
            raise Refused(f"the run {run} does not end")
        return {}

    def _pages(self) -> dict[str, str]:
        """All pages as they are stored, by slug."""
        items = self.api.get("/v1/memory/pages?limit=1000")["items"]
        path = "/v1/memory/pages/{}?format=markdown"
        return {item["slug"]: self.api.call("GET", path.format(item["slug"])).text for item in items}


STORY: tuple[tuple[str, Callable[[Demo], bool]], ...] = (
    ("remember 12 facts", Demo.remember),
    ("inject: the facts are there at once", Demo.inject_at_once),
    ("ingest 5 pages", Demo.ingest),
    ("recall in other words", Demo.recall),
    ("consolidate", Demo.consolidate),
    ("page with the filed fact", Demo.read_page),
    ("inject in the next turn", Demo.inject_again),
    ("second run changes no byte", Demo.second_run),
)


def run(*, as_json: bool) -> bool:
    """Tell the story; True when every step holds. The system is started when none runs, and left running."""
    screen = Screen(quiet=as_json)
    try:
        told = _tell(screen)
    except (NotHere, Refused) as error:
        told = {"ok": False, "error": str(error)}
        if not as_json:
            raise
    if as_json:
        sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
    return bool(told["ok"])


def _tell(screen: Screen) -> dict[str, Any]:
    system = local.start()
    space = f"demo-{secrets.token_hex(3)}"
    with Api(system["url"], system["token"]) as admin:
        body = {"spaces": [space], "scopes": ["read", "write"], "label": "demo"}
        token = admin.post("/v1/tokens", body)["token"]
    with Api(system["url"], token) as api:
        demo = Demo(api, screen)
        for name, act in STORY:
            demo.step(name, partial(act, demo))
    ok = all(step["ok"] for step in demo.steps)
    screen.end(ok, system["url"], space)
    whole = {"ok": ok, "url": system["url"], "search": system["search"], "space": space}
    return {**whole, "steps": demo.steps, **demo.told}
