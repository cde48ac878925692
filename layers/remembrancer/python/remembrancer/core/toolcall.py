"""Memory as a tool call that the host did not make, or as lines of a system message."""

import json
from collections.abc import Container, Sequence
from typing import Any

from remembrancer.core.escaping import single_line
from remembrancer.errors import Invalid

TOOL = "get_memory"
MOST_A_MESSAGE = 2
MOST_A_LOOP = 5
SHAPES = ("anthropic", "openai")
SYSTEM_LEAD = "Relevant memory:"

SHORTEST_SUMMARY = 50
LONGEST_SUMMARY = 600
SUMMARY_SHARE = 0.2

Item = tuple[str, str]


def new_items(items: Sequence[Item], resident: Container[str], sent_in_loop: int) -> list[Item]:
    """The (id, summary) pairs to send now: best first, none that is resident, within both caps."""
    fresh: dict[str, str] = {}
    for i, text in items:
        if i not in resident:
            fresh.setdefault(i, text)
    return list(fresh.items())[: max(0, min(MOST_A_MESSAGE, MOST_A_LOOP - sent_in_loop))]


def tool_call(items: Sequence[Item], *, call_id: str, shape: str = "anthropic") -> list[dict[str, Any]]:
    """A call of `get_memory` and its result, two messages; none when there is nothing to say."""
    if shape not in SHAPES:
        raise Invalid(f"one of {', '.join(SHAPES)}", field="shape")
    if not items:
        return []
    given = {"ids": [i for i, _ in items], "summary": True}
    body = "\n".join(_line(item) for item in items)
    if shape == "anthropic":
        use = {"type": "tool_use", "id": call_id, "name": TOOL, "input": given}
        result = {"type": "tool_result", "tool_use_id": call_id, "content": body}
        return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    function = {"name": TOOL, "arguments": json.dumps(given, ensure_ascii=False)}
    call = {"id": call_id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": body},
    ]


def system(items: Sequence[Item]) -> str:
    """A heading and one line an item, to be put at the end of a system message; empty without items."""
    return "\n".join([SYSTEM_LEAD, *(f"- {_line(item)}" for item in items)]) if items else ""


def summary_fits(content_length: int, summary_length: int) -> bool:
    """A summary has 50 to 600 characters; a fifth of a long content raises the upper bound."""
    return SHORTEST_SUMMARY <= summary_length <= _longest(content_length)


def summary(text: str, given: str = "") -> str:
    """The summary that was given when its length is right, else the opening of the text."""
    if summary_fits(len(text), len(given)):
        return given
    plain = " ".join(text.split())
    longest = _longest(len(text))
    return plain if len(plain) <= longest else plain[: longest - 1].rstrip() + "…"


def _longest(content_length: int) -> int:
    return max(LONGEST_SUMMARY, round(SUMMARY_SHARE * content_length))


def _line(item: Item) -> str:
    return f"{single_line(item[0])}: {single_line(item[1])}"
