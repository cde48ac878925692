"""The YAML block at the top of a page: split, read with salvage, written in one order."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import yaml

from remembrancer.errors import Invalid

MAX_BYTES = 32 * 1024
MAX_DEPTH = 20
ORDER = (
    "title",
    "slug",
    "kind",
    "status",
    "summary",
    "tags",
    "source",
    "origin_date",
    "pinned",
    "current",
    "main",
    "leaves",
    "links",
    "edges",
    "ref_files",
    "ref_urls",
    "entries",
)

_OPEN = re.compile(r"---[ \t]*\r?\n")
_CLOSE = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


class _Loader(yaml.SafeLoader):
    """Safe loading without aliases, dates kept as their text, and a bound on depth."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise yaml.YAMLError("nested too deeply")
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if tag != "tag:yaml.org,2002:timestamp"]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def split(raw: str) -> tuple[str | None, str, bool]:
    """YAML text (None without a block), body, and whether a block was opened and never closed."""
    start = _OPEN.match(raw)
    if not start:
        return None, raw, False
    end = _CLOSE.search(raw, start.end())
    if not end:
        return None, raw, True
    return raw[start.end() : end.start()].removesuffix("\n").removesuffix("\r"), raw[end.end() :], False


def load(text: str) -> dict[str, Any]:
    """The mapping of a YAML block. Raises `Invalid` with the line where it fails."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Invalid(f"frontmatter holds at most {MAX_BYTES} bytes", field="frontmatter")
    try:
        found = yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 2}" if mark is not None else ""
        raise Invalid(f"frontmatter is not YAML{place}", field="frontmatter") from None
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise Invalid("frontmatter is not a mapping", field="frontmatter")
    return found


def _text(value: Any) -> str:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError("text")


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [_text(item) for item in value]
    raise ValueError("a list of texts")


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _mapping(value: Any) -> dict[str, Any]:
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return value
    raise ValueError("a mapping")


def _edges(value: Any) -> list[Any]:
    if isinstance(value, list) and all(isinstance(item, str | dict) for item in value):
        return value
    raise ValueError("a list of slugs or of mappings with `to`")


KEYS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("title", "slug", "summary", "kind", "status", "source", "origin_date"), _text),
    **dict.fromkeys(("tags", "links", "leaves", "ref_files", "ref_urls"), _texts),
    "current": _flag,
    "main": _text,
    "pinned": _flag,
    "edges": _edges,
    "entries": _mapping,
}


def sort(found: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Known fields, unknown keys, and a line for each known key whose value cannot be used."""
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    ignored = []
    for key, value in found.items():
        if key not in KEYS:
            extra[key] = value
        elif value is not None:
            try:
                fields[key] = KEYS[key](value)
            except ValueError as error:
                ignored.append(f"{key}: {error} expected")
    return fields, extra, tuple(ignored)


def dump(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> str:
    """The block with its fences, or an empty text when there is nothing in it."""
    ordered = {key: fields[key] for key in ORDER if key in fields}
    whole = {**ordered, **extra}
    if not whole:
        return ""
    text = yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=1_000_000)
    return f"---\n{text}---\n"
