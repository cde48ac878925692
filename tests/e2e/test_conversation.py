"""The scripted conversation of `events/conversation.json`, turn by turn, here and on a deployed system."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from infra.local.deploy import client
from infra.local.state import System as Local
from remembrancer import aws
from remembrancer.core.pointer import MOST
from remembrancer.core.tokens import count
from remembrancer.wiring import wiring
from tests import embedder
from tests.bench.conversation import (
    BUDGET,
    MIDDLE,
    InProcess,
    Played,
    Story,
    changed,
    passages,
    repeated,
    script,
)
from tests.e2e.deployed import call, crash, remembrancer
from tests.system import System, running


@pytest.fixture
def tenant(tmp_path: Path) -> Iterator[System]:
    """A tenant for each test: word statistics are those of the whole index."""
    with running(embedder.built(), f"sqlite://{tmp_path}/index.sqlite") as system:
        yield system


def pointed_at(replies: Sequence[dict[str, Any]]) -> int:
    """How many resident units were asked for again; each must have been sent, and not pruned since."""
    held: dict[str, str] = {}
    pointed = 0
    for reply in replies:
        for unit in reply["prune"]:
            assert held.pop(unit)
        pointer = reply["blocks"].get("pointer", "").split("\n")
        again = [unit for unit in reply["units"] if unit["resident"]]
        assert all(unit["id"] in held for unit in again)
        paths = list(filter(None, pointer[2:-1]))
        assert len(paths) == len(set(paths)) == min(MOST, len({held[unit["id"]] for unit in again}))
        assert {held[unit["id"]] for unit in again}.issuperset(paths)
        pointed += len(again)
        for unit in reply["units"]:
            place = unit.get("slug") or unit.get("entry")
            path = f"memory/entries/{place}" if "entry" in unit else f"memory/concepts/{place}.md"
            held[unit["id"]] = path + (f" § {unit['section']}" if unit.get("section") else "")
    return pointed


def holds(story: Story, played: Played) -> None:
    """What is true of a conversation wherever it is played."""
    lines = [story.line(reply) for reply in played.talk]
    assert lines == script()["transcript"]
    assert len(lines) == 40
    assert [story.line(reply) for reply in played.compacted[:MIDDLE]] == lines[:MIDDLE]
    assert [story.line(reply) for reply in played.compacted[MIDDLE:]] == script()["after_compaction"]
    assert [reply["session"]["epoch"] for reply in played.compacted] == [1] * MIDDLE + [2] * (40 - MIDDLE)
    assert [{**reply, "session": {}} for reply in played.fork] == [
        {**reply, "session": {}} for reply in played.talk[MIDDLE:]
    ]
    assert repeated(played.talk) == repeated(played.compacted) == 0
    assert all(count(reply["blocks"].get("memory", "")) <= BUDGET for reply in [*played.talk, *played.compacted])
    assert pointed_at(played.talk) > 40
    again = [story.say(number, "talk") for number in range(40)]
    assert changed(played.talk, again) == 0


def test_the_transcript_is_the_expected_one_and_earlier_turns_stay_as_they_were(tenant: System) -> None:
    place = InProcess(tenant)
    story = Story(place)

    def begin_anew(number: int) -> None:
        if number == 10:
            wiring.cache_clear()
            aws.forget_clients()
            place.system.wiring = wiring()

    played = story.play(before=begin_anew)
    holds(story, played)
    before = {passage for reply in played.compacted[:MIDDLE] for passage in passages(reply)}
    assert before.intersection(passages(played.compacted[MIDDLE]))
    assert "pointer" not in played.compacted[MIDDLE]["blocks"]


class Deployed:
    """The template deployed on this machine, spoken to over HTTP."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._documents = 0
        remembrancer(home, "up", "--detach")
        self.made = remembrancer(home, "token", "create", "--space", "cinema", "--json")

    def post(self, verb: str, body: Any) -> Any:
        return call("POST", f"{self.made['url']}/v1/memory/{verb}", self.made["token"], body)

    def remove(self, slug: str) -> None:
        s3 = client("s3", Local.load(self.home).endpoint)
        (bucket,) = (one["Name"] for one in s3.list_buckets()["Buckets"] if "pages" in one["Name"])
        s3.delete_object(Bucket=bucket, Key=f"spaces/cinema/concepts/{slug}.md")

    def settle(self) -> None:
        """Wait until the number of indexed documents has changed and stays."""
        end, held = time.monotonic() + 60, -1
        while time.monotonic() < end:
            told = call("GET", f"{self.made['url']}/v1/memory/stats", self.made["token"])
            before, held = held, told["index"]["documents"]
            if held == before != self._documents and not told["unindexed"]:
                self._documents = held
                return
            time.sleep(0.5)
        raise AssertionError(f"the index holds {held} documents and not all that was written")

    def restart(self, number: int) -> None:
        """Kill it before turn 10, and stop it in order before turn 30."""
        if number == 10:
            crash(Local.load(self.home))
        elif number == 30:
            remembrancer(self.home, "down")
        else:
            return
        remembrancer(self.home, "up", "--detach")


def test_the_running_system_tells_the_same_through_a_crash_and_a_restart(home: Path) -> None:
    place = Deployed(home)
    story = Story(place)
    holds(story, story.play(before=place.restart))
