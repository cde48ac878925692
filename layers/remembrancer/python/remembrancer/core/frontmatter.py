"""The YAML block at the top of a page: split, read with salvage, written in one order.

Scalars are read by a small part of YAML's core schema: `null`, `true`, `false` and plain decimal numbers.
Everything else is text as it stands (dates, `12:30`, `yes`, `010`, `1.10`): writing it again changes no value.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import yaml

from remembrancer.errors import Invalid, TooLarge

MAX_BYTES = 32 * 1024
MAX_DEPTH = 20
IGNORED = "fields ignored: "
"""Begins a problem that took away one key only."""

_OPEN = re.compile(r"---\r?\n")
_CLOSE = re.compile(r"\r?\n---(?:\r?\n|\Z)")
_SCALARS = (
    ("null", r"(?:~|null|)", ["~", "n", ""]),
    ("bool", r"(?:true|false)", ["t", "f"]),
    ("int", r"(?:0|-?[1-9][0-9]{0,17})", list("-0123456789")),
    ("float", r"-?(?:0|[1-9][0-9]{0,8})\.(?:0|[0-9]{0,3}[1-9])", list("-0123456789")),
)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe loading that refuses a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        if len(found) != len(node.value):
            raise yaml.MarkedYAMLError(problem="a key stands twice", problem_mark=node.start_mark)
        return found


class _Dumper(yaml.SafeDumper):
    """Safe dumping; not the C one, which writes emoji as escapes."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _written(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # in any other style these line ends are read back as spaces
    style = '"' if re.search("[\x85\u2028\u2029]", text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _written)
for _side in (_Loader, _Dumper):
    _side.yaml_implicit_resolvers = {}
    for _tag, _pattern, _first in _SCALARS:
        _side.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"{_pattern}\Z"), _first)


def opens(raw: str) -> bool:
    """True when the text begins like frontmatter."""
    return bool(_OPEN.match(raw))


def split(raw: str) -> tuple[str | None, str]:
    """YAML text and body; None and the whole text when there is no block, or none that is closed."""
    start = _OPEN.match(raw)
    end = _CLOSE.search(raw, start.end()) if start else None
    if start is None or end is None:
        return None, raw
    return raw[start.end() : end.start()], raw[end.end() :]


@contextmanager
def _named(reason: str = "frontmatter is not YAML") -> Iterator[None]:
    """Turn what the YAML library raises into `Invalid` with the line of the file."""
    try:
        yield
    except (yaml.YAMLError, ValueError, KeyError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 2}: " if mark is not None else ""
        own = getattr(error, "problem", "") == "a key stands twice"
        raise Invalid(f"{place}{'a key stands twice' if own else reason}", field="frontmatter") from None


def _bound(text: str) -> None:
    """Refuse what would cost too much before anything is built: long, deep, aliased or tagged YAML."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Invalid(f"frontmatter holds at most {MAX_BYTES} bytes", field="frontmatter")
    depth = 0
    for event in yaml.parse(text, _Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        reason = (
            "aliases are not read"
            if isinstance(event, yaml.AliasEvent)
            else "tags are not read"
            if getattr(event, "tag", None) not in (None, "!")
            else f"deeper than {MAX_DEPTH} levels"
            if depth > MAX_DEPTH
            else ""
        )
        if reason:
            line = event.start_mark.line + 2 if event.start_mark else 1
            raise Invalid(f"line {line}: {reason}", field="frontmatter")


def load(text: str, *, strict: bool = False) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Known fields, other keys, and a line for each known key whose value cannot be used.

    Such a value is kept among the other keys, so that it is not lost when the page is written. Raises `Invalid`
    with line and reason when nothing can be read; `strict` raises it for one bad value, too.
    """
    with _named():
        _bound(text)
        found = yaml.load(text, _Loader)
    if not isinstance(found, dict | None):
        raise Invalid("frontmatter is not a mapping", field="frontmatter")
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    problems = []
    for key, value in (found or {}).items():
        name = _text(key) if isinstance(key, str | int | float) else ""
        if not name or name in fields or name in extra:
            raise Invalid("a key is empty, not a text, or stands twice", field="frontmatter")
        try:
            if name not in KEYS:
                extra[name] = value
            elif value is not None:
                fields[name] = KEYS[name](value)
        except ValueError as error:
            extra[name] = value
            problems.append(f"{IGNORED}{name} is not {error}")
    if strict and problems:
        raise Invalid(problems[0], field="frontmatter")
    return fields, extra, tuple(problems)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise ValueError("a text")


def _texts(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    if any(isinstance(item, list | dict) for item in items):
        raise ValueError("a list of texts")
    return [_text(item) for item in items if item is not None]


def _flag(value: Any) -> bool:
    if str(value).lower() in ("true", "yes", "on", "false", "no", "off"):
        return str(value).lower() in ("true", "yes", "on")
    raise ValueError("true or false")


def _mapping(value: Any) -> dict[str, Any]:
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return value
    raise ValueError("a mapping")


def _edges(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else [value]
    if all(
        isinstance(item, str) or (isinstance(item, dict) and isinstance(item.get("to"), str)) for item in items
    ):
        return items
    raise ValueError("a list of slugs, or of mappings with `to`")


KEYS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("title", "slug", "summary"), _text),
    "tags": _texts,
    **dict.fromkeys(("kind", "status"), _text),
    "links": _texts,
    "edges": _edges,
    **dict.fromkeys(("ref_files", "ref_urls"), _texts),
    **dict.fromkeys(("current", "main"), _text),
    "leaves": _texts,
    **dict.fromkeys(("source", "origin_date"), _text),
    "pinned": _flag,
    "entries": _mapping,
}
"""The known keys in the order in which they are written, each with what makes a value of it usable."""


def dump(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> str:
    """The YAML text, known keys first and in their order; empty when there is nothing to write."""
    known = {key: fields[key] for key in KEYS if fields.get(key) is not None}
    whole = {**known, **{key: value for key, value in extra.items() if key not in known}}
    if not whole:
        return ""
    text: str = yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1_000_000)
    if len(text.encode()) > MAX_BYTES:
        raise TooLarge(f"frontmatter holds at most {MAX_BYTES} bytes", field="frontmatter")
    return text
