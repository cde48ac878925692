import json
from collections.abc import Callable

import pytest

from remembrancer.core.entries import Entry
from remembrancer.core.escaping import one_line, parse_block, unescape
from remembrancer.core.info import info_block
from remembrancer.core.memory import LEAD, memory_block
from remembrancer.core.pointer import pointer_block
from remembrancer.core.toolcall import system, tool_call
from tests.unit.core.hostile import HOSTILE_LINES
from tests.unit.core.test_escaping import TAG
from tests.unit.core.test_info import parts
from tests.unit.core.test_memory import AT, NOTES, PLENTY, after, block, new, passage, raw
from tests.unit.core.test_pointer import held, unit

hostile = pytest.mark.parametrize("text", HOSTILE_LINES, ids=range(len(HOSTILE_LINES)))


def inside(text: str, tag: str) -> str:
    """What stands between the only two tags of a block."""
    inner = text.removeprefix(f"<{tag}>\n").removesuffix(f"\n</{tag}>")
    assert len(text) == len(inner) + 2 * len(tag) + 7
    assert not TAG.search(inner)
    return inner


PLACES: dict[str, Callable[[str], str]] = {
    "passage": lambda text: block(passage(text)).text,
    "section": lambda text: block(passage("first", whole=f"first\n\n{text}")).text,
    "entry": lambda text: block(raw("01A", text)).text,
    "new entry": lambda text: memory_block([], [Entry("01A", text, at_ms=AT)], {}, PLENTY).text,
}


@hostile
@pytest.mark.parametrize("place", PLACES)
def test_in_the_memory_block_it_stays_one_unit_that_can_be_read_back(text: str, place: str) -> None:
    lead, found = parse_block(inside(PLACES[place](text), "memory"))
    assert lead == LEAD
    (piece,) = found
    assert (piece.slug, piece.key) == (("people/alice", "History") if piece.slug else (None, None))
    lines = piece.text.split("\n")[1:]
    shown = unescape("\n".join(lines[1:] if NOTES.fullmatch(lines[0]) else lines))
    assert shown.removeprefix("first\n\n") == text


@hostile
def test_as_the_name_of_a_section_or_page_it_stays_one_line(text: str) -> None:
    found = block(passage("body", slug=text, section=text), passage("other", slug="b", section=""))
    _, (piece, other) = parse_block(inside(found.text, "memory"))
    assert piece.text.split("\n")[1:] == ["body"]
    assert other.slug == "b"
    pointed = inside(pointer_block([unit("u", slug=text, section=text)], held("u")), "memory_pointer")
    assert len(pointed.splitlines()) == 2


@hostile
def test_in_the_static_block_it_stays_in_its_part_and_can_be_read_back(text: str) -> None:
    found = info_block({"user": text}, {"essentials": text, "recent": text}, [Entry("01A", text, at_ms=AT)])
    inside(found, "info")
    shown = parts(found)
    assert list(shown) == ["User", "Essentials", "Recent", "Buffer"]
    assert shown["User"] == shown["Essentials"] == shown["Recent"] == text.strip()
    first, *rest = shown["Buffer"].removeprefix("- [Jun 10, 2:23 PM] ").split("\n")
    assert "\n".join([first, *(line.removeprefix("  ") for line in rest)]) == text


@hostile
def test_in_a_message_it_stays_one_line_that_can_be_read_back(text: str) -> None:
    items = [("01A", text), ("01B", "other")]
    lead, line, other = system(items).split("\n")
    assert (lead, other) == ("Relevant memory:", "- 01B: other")
    assert unescape(line.removeprefix("- 01A: ")) == one_line(text)
    for shape in ("anthropic", "openai"):
        messages = tool_call(items, call_id="c", shape=shape)
        content = messages[1]["content"]
        result = content if shape == "openai" else content[0]["content"]
        assert result.split("\n") == [line.removeprefix("- "), "01B: other"]
        assert not TAG.search(json.dumps(messages))


@hostile
def test_a_unit_that_holds_it_is_not_sent_twice(text: str) -> None:
    first = block(passage(text))
    assert new(first)
    assert block(passage(text), record=after(first)).text == ""
