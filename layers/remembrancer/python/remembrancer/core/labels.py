"""Ids and labels of nodes: of entries that wait, and of labels as ids."""

import re

from remembrancer.core.links import shown, wikilinks
from remembrancer.errors import Invalid

MAX_LABEL = 60

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def label_id(label: str) -> str:
    """A label as an id: lower case, white space to `-`, everything outside a-z, 0-9, `_` and `-` dropped."""
    found = re.sub(r"[^a-z0-9_-]", "", re.sub(r"\s+", "-", label.strip().lower())).strip("-")
    if not found:
        raise Invalid("a label with a letter or digit", field="label")
    return found


def pending_node_id(text: str) -> str:
    """The graph's id of an entry that waits: djb2 over UTF-16 units in base 36."""
    hashed = 5381
    units = text.encode("utf-16-le", "surrogatepass")
    for place in range(0, len(units), 2):
        hashed = (hashed * 33 + int.from_bytes(units[place : place + 2], "little")) & 0xFFFFFFFF
    digits = ""
    while hashed:
        hashed, digit = divmod(hashed, 36)
        digits = _DIGITS[digit] + digits
    return f"buffer:{digits or '0'}"


def pending_label(text: str) -> str:
    """What a waiting entry is called in the graph: its first line, links by the last part of their target."""
    first = shown(text.partition("\n")[0], lambda target: target.rpartition("/")[2])
    return first if len(first) <= MAX_LABEL else f"{first[: MAX_LABEL - 1].rstrip()}…"


def pending_nodes(texts: list[str]) -> list[tuple[str, str, list[str]]]:
    """(id, text, link targets) of waiting entries in order; of equal texts the later get `-2`, `-3` and so on."""
    seen: dict[str, int] = {}
    nodes = []
    for text in texts:
        base = pending_node_id(text)
        seen[base] = seen.get(base, 0) + 1
        nodes.append((base if seen[base] == 1 else f"{base}-{seen[base]}", text, wikilinks(text)))
    return nodes
