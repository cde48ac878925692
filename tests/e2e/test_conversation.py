"""The scripted conversation of `events/conversation.json`, turn by turn through the real handlers."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from remembrancer import aws
from remembrancer.core.pointer import MOST
from remembrancer.core.tokens import count
from remembrancer.wiring import wiring
from tests import embedder
from tests.bench.conversation import BUDGET, Story, changed, passages, repeated, script
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


def test_the_transcript_is_the_expected_one_and_earlier_turns_stay_as_they_were(tenant: System) -> None:
    story = Story(tenant)
    replies = story.play("talk")
    assert [story.line(reply) for reply in replies] == script()["transcript"]
    assert len(replies) == 40
    assert repeated(replies) == 0
    assert all(count(reply["blocks"].get("memory", "")) <= BUDGET for reply in replies)
    assert pointed_at(replies) > 40
    again = [story.say(number, "talk") for number in range(len(replies))]
    assert changed(replies, again) == 0


def test_a_new_process_and_a_fork_go_on_as_the_conversation_does(tenant: System) -> None:
    story = Story(tenant)
    for number in range(20):
        story.happen(number)
        story.say(number, "talk")
    wiring.cache_clear()
    aws.forget_clients()
    story.system.wiring = wiring()
    for number in range(20, 40):
        story.happen(number)
        forked = story.say(number, "fork", fork_of="talk")
        reply = story.say(number, "talk")
        assert story.line(reply) == script()["transcript"][number]
        assert {**forked, "session": {}} == {**reply, "session": {}}


def test_after_a_compaction_everything_may_come_once_more(tenant: System) -> None:
    story = Story(tenant)
    replies = story.play("talk", compacted_at=20)
    assert [reply["session"]["epoch"] for reply in replies] == [1] * 20 + [2] * 20
    assert [story.line(reply) for reply in replies[:20]] == script()["transcript"][:20]
    before = {passage for reply in replies[:20] for passage in passages(reply)}
    assert before.intersection(passages(replies[20]))
    assert repeated(replies) == 0
    assert "pointer" not in replies[20]["blocks"]
