"""How an entry lies in the memory table."""

from collections.abc import Sequence
from typing import Any

from remembrancer.adapters.dynamodb.items import Item, pack, unpack
from remembrancer.adapters.dynamodb.keys import space_key
from remembrancer.adapters.dynamodb.table import Key, Table
from remembrancer.core.entries import Entry, text_hash


def pending_key(space: str, entry_id: str) -> Key:
    """Where an entry waits."""
    return space_key(space, "BUFFER"), entry_id


def filed_key(space: str, entry_id: str) -> Key:
    """Where an entry stays."""
    return space_key(space, "ENTRIES"), entry_id


def gone_key(space: str, hashed: str) -> Key:
    """The tombstone of a text, by its hash."""
    return space_key(space, "GONE"), hashed


def guard_key(space: str, entry: Entry) -> Key:
    """The duplicate guard; it exists while an active entry with this text and kind does."""
    return space_key(space, "TEXT"), f"{entry.kind}#{text_hash(entry.text)}"


def head_key(space: str) -> Key:
    """What a call needs to know about the space."""
    return space_key(space), "HEAD"


def counts_key(space: str) -> Key:
    """How many filed entries there are: active by kind, and superseded."""
    return space_key(space), "COUNTS"


def changes_key(space: str) -> str:
    """The partition of a space's filed entries in the index by change."""
    return space_key(space)


def change_mark(now_ms: int) -> str:
    """The place of a change in the index by change."""
    return f"{now_ms:015d}"


def to_item(key: Key, entry: Entry, changed_ms: int | None = None) -> Item:
    """Active entries are in the index by kind, all with a session in the index by session.

    `changed_ms` puts a filed entry into the index by change.
    """
    pk, sk = key
    item: Item = pack(entry)
    del item["id"]
    item |= {"pk": pk, "sk": sk, "kind": entry.kind}
    space = pk.rpartition("#")[0]
    if entry.active:
        item |= {"gk": f"{space}#{entry.kind}", "ts": f"{entry.at_ms:015d}#{entry.id}"}
    if entry.session_id:
        item["gs"] = f"{space}#{entry.session_id}"
    if changed_ms is not None:
        item |= {"gc": changes_key(space.removeprefix("S#")), "changed": change_mark(changed_ms)}
    if entry.sources:
        # a set, so that a duplicate adds its source in one write beside others that do the same
        item["sources"] = frozenset(entry.sources)
    return item


def from_item(item: Item) -> Entry:
    """The first source comes first, the others in alphabetical order."""
    sources = sorted(item.get("sources", ()), key=lambda s: (s != item.get("source"), s))
    more: dict[str, Any] = {"sources": tuple(sources)}
    return unpack(Entry, item, id=item["sk"], **more)


def entry_keys(space: str, ids: Sequence[str]) -> list[Key]:
    """Both places where each entry may lie."""
    return [key(space, i) for i in ids for key in (pending_key, filed_key)]


def whole(table: Table, space: str, ids: Sequence[str], items: Sequence[Item]) -> dict[str, Entry]:
    """Entries by id from what lay at their `entry_keys`."""
    found = {item["sk"]: from_item(item) for item in sorted(items, key=lambda item: str(item["pk"]))}
    # a batch is no snapshot: an entry filed in the middle of it is in neither half, but then it is filed
    if missing := [filed_key(space, i) for i in ids if i not in found]:
        found |= {item["sk"]: from_item(item) for item in table.get_many(missing)}
    return found
