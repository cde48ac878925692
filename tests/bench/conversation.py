"""A scripted conversation: what injection sends over all its turns, against a memory that keeps no record.

Such a memory sends its best hits anew with every turn. How many is its choice, so there are two of them:
`bytes_ratio_to_naive`, which has the bar, is against the eight best sections, the usual top-k block;
`bytes_ratio_to_same_units` is against as many sections and entries as the turn itself chose, new ones and resident
ones. Both may take no more tokens than the turn's budget. Neither has a lead, a date or a pointer; ours has all.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

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

MIDDLE = 20

Reply = Mapping[str, Any]


@dataclass
class Played:
    """Replies by session, in order; those of the fork begin at the middle."""

    talk: list[dict[str, Any]]
    compacted: list[dict[str, Any]]
    fork: list[dict[str, Any]]


def script() -> dict[str, Any]:
    """Pages, turns and the transcript that is expected of them."""
    found: dict[str, Any] = json.loads(SCRIPT.read_text(encoding="utf-8"))
    return found


class Place(Protocol):
    """Where a story is played: one space of a system."""

    def post(self, verb: str, body: Any) -> Any: ...

    def remove(self, slug: str) -> None:
        """Delete the page's object, as a person may do in the bucket."""

    def settle(self) -> None:
        """Return when the index holds what was written."""


class InProcess:
    """The service in this process."""

    def __init__(self, system: System) -> None:
        self.system = system

    def post(self, verb: str, body: Any) -> Any:
        return self.system.post(verb, body)

    def remove(self, slug: str) -> None:
        self.system.wiring.pages.delete(self.system.space, f"concepts/{slug}.md")
        sample = events.load("index_pages")["Records"][0]
        body = json.loads(sample["body"])
        body["detail"]["object"]["key"] = f"spaces/{self.system.space}/concepts/{slug}.md"
        self.system.task("index_pages", {"Records": [{**sample, "body": json.dumps(body)}]})

    def settle(self) -> None:
        self.system.pump()


class Story:
    """The script played in one space."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.turns: list[dict[str, Any]] = script()["turns"]
        self.names: dict[str, str] = {}
        pages = [{"slug": slug, "content": text} for slug, text in script()["pages"].items()]
        place.post("ingest", {"pages": pages})
        place.settle()

    def happen(self, number: int) -> None:
        """What changes in the space before turn `number`."""
        turn = self.turns[number]
        for text in turn.get("remember", ()):
            stored = self.place.post("remember", {"content": text, "at": NOW})
            self.names[stored["entries"][0]["id"]] = text
        for slug in turn.get("delete", ()):
            self.place.remove(slug)
        if turn.keys() > {"message"}:
            self.place.settle()

    def say(self, number: int, session: str, **more: Any) -> dict[str, Any]:
        """Turn `number` in one session; the reply."""
        mode = "full" if number == 0 or more.get("compacted") else "turn"
        message = self.turns[number]["message"]
        body = {"session_id": session, "turn_id": f"t{number}", "message": message, "mode": mode, "now": NOW}
        found: dict[str, Any] = self.place.post("inject", {**body, **more})
        return found

    def play(self, *, before: Callable[[int], None] = lambda _: None) -> "Played":
        """All turns, in three sessions side by side; `before` is called with the number of each turn.

        One session goes through, one is compacted at turn 20, and one is forked from the first before turn 20.
        """
        played = Played([], [], [])
        for number in range(len(self.turns)):
            before(number)
            self.happen(number)
            if number >= MIDDLE:
                played.fork.append(self.say(number, "fork", fork_of="talk"))
            played.talk.append(self.say(number, "talk"))
            played.compacted.append(self.say(number, "compacted", compacted=number == MIDDLE))
        return played

    def naive(self, number: int, most: int) -> str:
        """The block of a memory that keeps no record: the best sections for the message, as far as they fit."""
        asked = {"query": self.turns[number]["message"], "limit": 100}
        whole = self.place.post("recall", {**asked, "what": "sections"})["results"]
        texts = {(hit["slug"], hit["section"]): hit["text"] for hit in whole}
        best: dict[tuple[str, str], str] = {}
        for hit in self.place.post("recall", asked)["results"]:
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
    story = Story(InProcess(system))
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
    """Play the script and keep its transcripts as the expected ones."""
    story = Story(InProcess(system))
    played = story.play()
    told = {
        **script(),
        "transcript": [story.line(reply) for reply in played.talk],
        "after_compaction": [story.line(reply) for reply in played.compacted[MIDDLE:]],
    }
    SCRIPT.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
