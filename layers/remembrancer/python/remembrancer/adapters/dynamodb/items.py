"""Items in DynamoDB's wire form, and our records as items. Fields that hold their default are left out."""

import types
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from remembrancer.errors import Invalid, TooLarge

Item: TypeAlias = dict[str, Any]
T = TypeVar("T")

MAX_ITEM = 380_000
PLAIN = (str, int, float)


def wire(value: Any) -> dict[str, Any]:
    """One attribute value. A frozenset is a string set; an empty one has no form."""
    match value:
        case bool():
            return {"BOOL": value}
        case None:
            return {"NULL": True}
        case str():
            return {"S": value}
        case int():
            return {"N": str(value)}
        case float():
            return {"N": repr(float(value))}
        case bytes():
            return {"B": b64encode(value).decode()}
        case list() | tuple():
            return {"L": [wire(v) for v in value]}
        case frozenset():
            return {"SS": sorted(value)}
        case Mapping():
            return {"M": {str(k): wire(v) for k, v in value.items()}}
    raise Invalid(f"cannot store a {type(value).__name__}")


def plain(value: Mapping[str, Any]) -> Any:
    """The value of one attribute: numbers are int when whole, else float; a string set is a sorted list."""
    ((tag, inner),) = value.items()
    match tag:
        case "S":
            return inner
        case "N":
            return int(inner) if inner.lstrip("-").isdigit() else float(inner)
        case "B":
            return b64decode(inner)
        case "M":
            return {k: plain(v) for k, v in inner.items()}
        case "L":
            return [plain(v) for v in inner]
        case "SS":
            return sorted(inner)
        case "NULL":
            return None
    return inner


def to_wire(item: Mapping[str, Any]) -> dict[str, Any]:
    """A whole item. Raises `TooLarge`, and `Invalid` for text that is none."""
    try:
        total = size(item)
    except UnicodeEncodeError:
        raise Invalid("text holds a lone surrogate") from None
    if total > MAX_ITEM:
        raise TooLarge(f"one record holds at most {MAX_ITEM} bytes")
    return {k: wire(v) for k, v in item.items()}


def from_wire(item: Mapping[str, Any]) -> Item:
    """A whole item as DynamoDB gave it."""
    return {k: plain(v) for k, v in item.items()}


def size(value: Any) -> int:
    """What a value counts against the limit of an item, or slightly more."""
    match value:
        case str():
            return len(value.encode())
        case int() | float():
            return 22
        case bytes():
            return len(value)
        case list() | tuple() | frozenset():
            return 3 + sum([1 + size(v) for v in value])
        case Mapping():
            return 3 + sum([1 + len(str(k).encode()) + size(v) for k, v in value.items()])
    return 1


def pack(record: Any) -> Item:
    """A dataclass as a plain dict, nested ones too."""
    found: Item = {}
    for name, default in _defaults(cast(Any, type(record))):
        value = getattr(record, name)
        if value != default:
            found[name] = _packed(value)
    return found


@cache
def _defaults(kind: Any) -> list[tuple[str, Any]]:
    return [
        (field.name, field.default if field.default_factory is MISSING else field.default_factory())
        for field in fields(kind)
    ]


def _packed(value: Any) -> Any:
    if isinstance(value, PLAIN):
        return value
    if is_dataclass(value):
        return pack(value)
    if isinstance(value, (list, tuple)):
        return [_packed(v) for v in value]
    if isinstance(value, Mapping):
        return {k: _packed(v) for k, v in value.items()}
    return value


def unpack(kind: type[T], item: Mapping[str, Any], **given: Any) -> T:
    """The dataclass that `pack` had; attributes that it does not know are passed over."""
    typed = _fields(cast(Any, kind))
    known = {k: v if (as_ := typed[k]) is None else as_(v) for k, v in item.items() if k in typed}
    return kind(**(known | given))


@cache
def _fields(kind: Any) -> dict[str, Any]:
    return {name: _typed(hint) for name, hint in get_type_hints(kind).items()}


def _typed(hint: Any) -> Callable[[Any], Any] | None:
    """Makes lists the tuples, whole numbers the floats, dicts the dataclasses of the hint; None: as it is."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return (lambda v: None if v is None else float(v)) if float in inner else None
    if origin is tuple:
        each = _typed(inner[0])
        return tuple if each is None else lambda v: tuple(map(each, v))
    if origin is dict:
        of = _typed(inner[1])
        return None if of is None else lambda v: {key: of(value) for key, value in v.items()}
    if is_dataclass(hint) and isinstance(hint, type):
        return partial(unpack, hint)
    return float if hint is float else None
