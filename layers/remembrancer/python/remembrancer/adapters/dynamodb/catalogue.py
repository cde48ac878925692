"""Page heads, and the backlinks that follow from them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any

from remembrancer.adapters.dynamodb.attempts import Refused
from remembrancer.adapters.dynamodb.items import Item, pack, unpack
from remembrancer.adapters.dynamodb.keys import from_cursor, space_key, to_cursor
from remembrancer.adapters.dynamodb.layout import entry_keys, whole
from remembrancer.adapters.dynamodb.leases import held
from remembrancer.adapters.dynamodb.table import ABSENT, MAX_WRITES, Key, Table, Write
from remembrancer.core.catalogue import PageHead, SectionHead
from remembrancer.core.entries import Entry
from remembrancer.errors import LeaseLost, PreconditionFailed
from remembrancer.ports import Lease

EDGES = ("link", "wikilink", "edge")


class DynamoCatalogue:
    """See `ports.Catalogue`.

    A backlink lies at `<to>#<from>`. Links that do not fit into the transaction are named in the head's `open`
    until they are written, so that the next write of the page completes them whatever happened to this one.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def head(self, space: str, slug: str) -> PageHead | None:
        item = self.table.get(_key(space, slug))
        return _head(item) if item else None

    def heads(self, space: str, slugs: Sequence[str]) -> dict[str, PageHead]:
        items = self.table.get_many([_key(space, slug) for slug in slugs])
        return {item["sk"]: _head(item) for item in items}

    def current(
        self, space: str, slugs: Sequence[str], ids: Sequence[str], *, sections: bool
    ) -> tuple[dict[str, PageHead], dict[str, Entry]]:
        pages = space_key(space, "PAGES")
        keys = [_key(space, slug) for slug in slugs]
        items = self.table.get_many([*keys, *entry_keys(space, ids)])
        heads = {i["sk"]: _head(i, sections=sections) for i in items if i["pk"] == pages}
        return heads, whole(self.table, space, ids, [i for i in items if i["pk"] != pages])

    def rate(self, space: str, head: PageHead) -> None:
        changes: dict[str, Any] = {
            "importance": head.importance,
            "in_degree": head.in_degree,
            "neighbours": [pack(neighbour) for neighbour in head.neighbours],
            "near_rev": head.near_rev,
        }
        sets = "SET " + ", ".join(f"#{name} = :{name}" for name in changes)
        try:
            self.table.write(
                self.table.update(_key(space, head.slug), sets, "#rev = :rev", rev=head.rev, **changes)
            )
        except Refused:
            return  # its next rating counts what was written

    def put(self, space: str, head: PageHead, *, over: PageHead | None, lease: Lease | None = None) -> None:
        known = links(over) | dict.fromkeys(over.open, "?") if over else {}
        now = links(head)
        changed = [to for to in {**known, **now} if known.get(to) != now.get(to)]
        room = MAX_WRITES - (2 if lease else 1)
        later = changed[room:]
        pk, sk = _key(space, head.slug)
        item = pack(replace(head, open=tuple(later), sections=())) | {"pk": pk, "sk": sk, "rev": head.rev}
        item |= {"sections": _told(head.sections)} if head.sections else {}
        condition, values = ("#rev = :over", {"over": over.rev}) if over else (ABSENT, {})
        writes = [self.table.put(item, condition, **values)]
        writes += [held(self.table, space, lease)] if lease else []
        writes += [self._link(space, head.slug, to, now.get(to, "")) for to in changed[:room]]
        try:
            self.table.transact(writes)
        except Refused as refused:
            if 0 in refused.found:
                raise PreconditionFailed("the page was written in between") from None
            raise LeaseLost("the lease has gone to another holder") from None
        if later:
            self._complete(space, head, later, now)

    def _link(self, space: str, slug: str, to: str, kind: str) -> Write:
        key = space_key(space, "LINKS"), f"{to}#{slug}"
        return self.table.put({"pk": key[0], "sk": key[1], "kind": kind}) if kind else self.table.delete(key)

    def _complete(self, space: str, head: PageHead, later: Sequence[str], now: Mapping[str, str]) -> None:
        """Write the links that were left over, as long as the head is still ours."""
        key, room = _key(space, head.slug), MAX_WRITES - 1
        ours: dict[str, Any] = {"condition": "#rev = :rev", "rev": head.rev}
        try:
            for start in range(0, len(later), room):
                some = [self._link(space, head.slug, to, now.get(to, "")) for to in later[start : start + room]]
                self.table.transact([self.table.check(key, **ours), *some])
            self.table.write(self.table.update(key, "REMOVE #open", **ours))
        except Refused:
            return  # a newer write has taken over the links that were left

    def mark_indexed(self, space: str, slug: str, rev: int) -> None:
        try:
            self.table.write(
                self.table.update(_key(space, slug), "SET #indexed_rev = :rev", "#rev = :rev", rev=rev)
            )
        except Refused:
            return  # the head has moved on: its own writer marks it

    def page(self, space: str, *, limit: int, cursor: str = "") -> tuple[list[PageHead], str]:
        listing = f"pages/{space}"
        more: dict[str, Any] = {"deleted": True, "only": "attribute_not_exists(#deleted) OR #deleted <> :deleted"}
        if after := from_cursor(listing, cursor):
            more |= {"condition": "#sk > :after", "after": after}
        items = list(self.table.query(space_key(space, "PAGES"), limit=limit + 1, **more))
        following = to_cursor(listing, items[limit - 1]["sk"]) if len(items) > limit else ""
        return [_head(item) for item in items[:limit]], following

    def backlinks(self, space: str, slug: str) -> list[tuple[str, str]]:
        start = f"{slug}#"
        items = self.table.query(space_key(space, "LINKS"), condition="begins_with(#sk, :start)", start=start)
        # a target that is no slug may hold a `#` of its own
        return [(item["sk"][len(start) :], item["kind"]) for item in items if item["sk"].count("#") == 1]


def links(head: PageHead) -> dict[str, str]:
    """Where a page points to, each target once with its kind; a deleted page points nowhere."""
    if head.deleted:
        return {}
    found = {to: "link" for to in head.links if to}
    return found | {n.slug: n.kind for n in head.neighbours if n.kind in EDGES and n.slug}


def _told(sections: Sequence[SectionHead]) -> str:
    """As one text, because they are most of a head, and few who read heads look at them."""
    return json.dumps([astuple(section) for section in sections], ensure_ascii=False)


def _head(item: Item, *, sections: bool = True) -> PageHead:
    told = item.pop("sections", "")
    found = tuple(SectionHead(*one) for one in json.loads(told)) if told and sections else ()
    return unpack(PageHead, item, slug=item["sk"], sections=found)


def _key(space: str, slug: str) -> Key:
    return space_key(space, "PAGES"), slug
