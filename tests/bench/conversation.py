"""A scripted conversation: what injection sends over all its turns, against a memory that keeps no record.

Such a memory sends its best hits anew with every turn. How many is its choice, so there are two of them:
`bytes_ratio_to_naive`, which has the bar, is against the eight best sections, the usual top-k block;
`bytes_ratio_to_same_units` is against as many sections and entries as the turn itself chose, new ones and resident
ones. Both may take no more tokens than the turn's budget. Neither has a lead, a date or a pointer; ours has all.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remembrancer.core.escaping import parse_block
from remembrancer.core.sessions import line_prints
from remembrancer.core.tokens import count
from tests import events
from tests.bench.report import Bar
from tests.system import System

SCRIPT = Path(__file__).parents[2] / "events" / "conversation.json"
NOW = "2026-06-01T18:00:00Z"
TOP = 8
BUDGET = 1_200
BARS = (
    Bar("bytes_ratio_to_naive", 0.35, 0.25, at_most=True),
    Bar("repeated_passages", 0, 0, at_most=True),
    Bar("changed_prefix_bytes", 0, 0, at_most=True),
)

Reply = Mapping[str, Any]


def script() -> dict[str, Any]:
    """Pages, turns and the transcript that is expected of them."""
    found: dict[str, Any] = json.loads(SCRIPT.read_text(encoding="utf-8"))
    return found


class Story:
    """The script played in one space."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.turns: list[dict[str, Any]] = script()["turns"]
        self.names: dict[str, str] = {}
        pages = [{"slug": slug, "content": text} for slug, text in script()["pages"].items()]
        system.post("ingest", {"pages": pages})
        system.pump()

    def happen(self, number: int) -> None:
        """What changes in the space before turn `number`."""
        turn = self.turns[number]
        for text in turn.get("remember", ()):
            stored = self.system.post("remember", {"content": text, "at": NOW})
            self.names[stored["entries"][0]["id"]] = text
        for slug in turn.get("delete", ()):
            self.system.wiring.pages.delete(self.system.space, f"concepts/{slug}.md")
            sample = events.load("index_pages")["Records"][0]
            body = json.loads(sample["body"])
            body["detail"]["object"]["key"] = f"spaces/{self.system.space}/concepts/{slug}.md"
            self.system.task("index_pages", {"Records": [{**sample, "body": json.dumps(body)}]})
        if turn.keys() > {"message"}:
            self.system.pump()

    def say(self, number: int, session: str, **more: Any) -> dict[str, Any]:
        """Turn `number` in one session; the reply."""
        mode = "full" if number == 0 or more.get("compacted") else "turn"
        message = self.turns[number]["message"]
        body = {"session_id": session, "turn_id": f"t{number}", "message": message, "mode": mode, "now": NOW}
        found: dict[str, Any] = self.system.post("inject", {**body, **more})
        return found

    def play(self, session: str, compacted_at: int = -1) -> list[dict[str, Any]]:
        """All turns, one after the other."""
        replies = []
        for number in range(len(self.turns)):
            self.happen(number)
            replies.append(self.say(number, session, compacted=number == compacted_at))
        return replies

    def naive(self, number: int, most: int) -> str:
        """The block of a memory that keeps no record: the best sections for the message, as far as they fit."""
        asked = {"query": self.turns[number]["message"], "limit": 100}
        whole = self.system.post("recall", {**asked, "what": "sections"})["results"]
        texts = {(hit["slug"], hit["section"]): hit["text"] for hit in whole}
        best: dict[tuple[str, str], str] = {}
        for hit in self.system.post("recall", asked)["results"]:
            place = hit.get("slug", hit["id"]), hit.get("section", "")
            best.setdefault(place, texts.get(place, hit["text"]))
        block = ""
        for (slug, section), text in list(best.items())[:most]:
            longer = f"{block}\n\n# {slug} {section}\n{text}"
            if count(longer) > BUDGET:
                break
            block = longer
        return block

    def line(self, reply: Reply) -> dict[str, list[str]]:
        """What a reply sends, points to and prunes, in words that do not depend on the run."""
        sent = [_label(unit, self.names) for unit in reply["units"] if not unit["resident"]]
        pointer = reply["blocks"].get("pointer", "").split("\n")[2:-1]
        return {
            "sent": sent,
            "pointer": [self._named(path) for path in pointer],
            "prune": [self._named(unit) for unit in reply["prune"]],
        }

    def _named(self, path: str) -> str:
        return self.names.get(path.rpartition("/")[2], path)


def _label(unit: Mapping[str, Any], names: Mapping[str, str]) -> str:
    if "entry" in unit:
        return names[unit["entry"]]
    passages = ",".join(map(str, unit["passages"])) or "all"
    return f"{unit['slug']} § {unit['section']} ({passages})"


def passages(reply: Reply) -> list[tuple[str, str]]:
    """(place, print) of every passage line that the memory block of a reply shows."""
    inner = reply["blocks"].get("memory", "").removeprefix("<memory>\n").removesuffix("\n</memory>")
    found = []
    for piece in parse_block(inner)[1]:
        header, _, text = piece.text.partition("\n")
        lines = [line for line in text.split("\n") if line != "…" and not line.startswith("[")]
        found += [(header, mark) for mark in line_prints("\n".join(lines))]
    return found


def repeated(replies: Sequence[Reply]) -> int:
    """Passages that were sent again inside one epoch, without having been pruned."""
    again, seen, epoch = 0, set[tuple[str, str]](), 0
    for reply in replies:
        if reply["session"]["epoch"] != epoch:
            epoch, seen = reply["session"]["epoch"], set()
        shown = passages(reply)
        again += sum(passage in seen for passage in shown) + len(shown) - len(set(shown))
        seen.update(shown)
    return again


def places(reply: Reply) -> set[tuple[str, str]]:
    """The sections and entries that a turn chose."""
    return {(unit.get("slug") or unit["entry"], unit.get("section", "")) for unit in reply["units"]}


def size(reply: Reply) -> int:
    """Bytes that a turn adds to the conversation."""
    return sum(len(text.encode()) for text in reply["blocks"].values())


def changed(before: Sequence[Reply], after: Sequence[Reply]) -> int:
    """Bytes of replies to earlier turns that are not what they were."""
    return sum(size(old) for old, new in zip(before, after, strict=True) if old != new)


def run(system: System) -> tuple[dict[str, float], dict[str, Any]]:
    """Figures over the whole conversation, and the bytes of every turn."""
    story = Story(system)
    replies, naive, same = list[dict[str, Any]](), list[int](), list[int]()
    for number in range(len(story.turns)):
        story.happen(number)
        replies.append(story.say(number, "bench"))
        naive.append(len(story.naive(number, TOP).encode()))
        same.append(len(story.naive(number, len(places(replies[-1]))).encode()))
    again = [story.say(number, "bench") for number in range(len(story.turns))]
    sizes = [size(reply) for reply in replies]
    figures = {
        "bytes_ratio_to_naive": round(sum(sizes) / sum(naive), 4),
        "bytes_ratio_to_same_units": round(sum(sizes) / sum(same), 4),
        "repeated_passages": repeated(replies),
        "changed_prefix_bytes": changed(replies, again),
    }
    detail = {
        "turns": len(replies),
        "bytes": sum(sizes),
        "naive_bytes": sum(naive),
        "naive_bytes_same_units": sum(same),
        "info_bytes": sum(len(reply["blocks"].get("info", "").encode()) for reply in replies),
        "pointer_bytes": sum(len(reply["blocks"].get("pointer", "").encode()) for reply in replies),
        "by_turn": sizes,
        "naive_by_turn": naive,
    }
    return figures, detail


def write(system: System) -> None:
    """Play the script and keep its transcript as the expected one."""
    story = Story(system)
    told = {**script(), "transcript": [story.line(reply) for reply in story.play("written")]}
    SCRIPT.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
