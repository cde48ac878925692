"""The search index on OpenSearch 2.19 or newer."""

import json
from collections.abc import Sequence
from typing import Any

from remembrancer.adapters.opensearch import bulk, lanes, mapping
from remembrancer.adapters.opensearch.client import Client
from remembrancer.core.documents import document_id, refusal
from remembrancer.errors import Invalid, Unavailable
from remembrancer.ports import Embedded, Found, Search

PAGE = 10_000
ERASE_TIMEOUT_S = 60.0


class OpenSearchIndex:
    """One index a tenant and model, behind a read and a write alias."""

    def __init__(self, url: str, identity: str, dimension: int) -> None:
        self.identity = identity
        self._dimension = dimension
        self._client = Client(url)
        self._name = mapping.index_name(self._client.prefix, identity)
        self._read, self._write = f"{self._name}-read", f"{self._name}-write"
        self._ensured = False

    def ensure(self) -> None:
        """One request in a process's life when the index is there."""
        if self._ensured:
            return
        there = self._client.call("GET", f"/{self._write}")
        if there is None:
            aliases = (self._read, self._write)
            body = mapping.definition(self.identity, self._dimension, self._client.engine, aliases)
            self._client.create(f"/{self._name}-1", body)
        elif any(index["mappings"].get("_meta", {}).get("identity") != self.identity for index in there.values()):
            raise Invalid("the search index belongs to another embedding model", field="identity")
        self._ensured = True

    def put(
        self,
        space: str,
        units: Sequence[Embedded],
        *,
        gone: Sequence[tuple[str, int, int]] = (),
        repair: bool = False,
    ) -> dict[str, str]:
        """Creates the index again when somebody removed it."""
        errors: dict[str, str] = {}
        # removals first: whoever finds the new units knows that the old ones are gone
        operations = [bulk.delete(space, *one) for one in gone]
        for one in units:
            if why := refusal((one.vector, one.ctx_vector), self._dimension):
                errors[document_id(space, one.unit.parent, one.unit.ordinal)] = why
            else:
                operations.append(bulk.write(space, one, self.identity, repair=repair))
        self.ensure()
        try:
            return errors | bulk.send(self._client, self._write, operations)
        except bulk.Lost:
            self._ensured = False
            self.ensure()
        try:
            return errors | bulk.send(self._client, self._write, operations)
        except bulk.Lost as error:
            raise Unavailable("the search index has lost its write alias") from error

    def search(self, search: Search) -> Found:
        """One `_msearch`; what the hits need is in the answer."""
        if search.vector is not None and len(search.vector) != self._dimension:
            raise Invalid(f"the vector has not {self._dimension} values", field="vector")
        sent = lanes.sent(search)
        if not sent:
            return Found(())
        scored = any(lane.vector is None for lane, _ in sent)
        factor = self._client.bm25_factor(search.timeout_s) if scored else 1.0
        body = lanes.request(search, sent)
        reply = self._client.call("POST", f"/{self._read}/_msearch", body, timeout_s=search.timeout_s)
        if reply is None:
            return Found(())
        return lanes.found(search.vector, [lane for lane, _ in sent], reply["responses"], factor)

    def count(self, space: str) -> int:
        reply = self._client.call("POST", f"/{self._read}/_count", {"query": {"term": {"space": space}}})
        return int(reply["count"]) if reply else 0

    def ids(self, space: str) -> list[tuple[str, int, int]]:
        """In order of parent and ordinal, a page of answers at a time."""
        body: dict[str, Any] = {"query": {"term": {"space": space}}, "size": PAGE, "track_total_hits": False}
        body |= {"_source": False, "docvalue_fields": ["page", "ordinal", "rev"], "sort": ["page", "ordinal"]}
        ids: list[tuple[str, int, int]] = []
        while reply := self._client.call("POST", f"/{self._read}/_search", body):
            hits = reply["hits"]["hits"]
            fields = (hit["fields"] for hit in hits)
            ids += [(one["page"][0], one["ordinal"][0], one["rev"][0]) for one in fields]
            if len(hits) < PAGE:
                break
            body["search_after"] = hits[-1]["sort"]
        return ids

    def revs(self, space: str, units: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        found: dict[tuple[str, int], int] = {}
        for start in range(0, len(units), PAGE):
            some = units[start : start + PAGE]
            body = {"ids": [document_id(space, *unit) for unit in some]}
            reply = self._client.call("POST", f"/{self._read}/_mget", body, params={"_source": "false"})
            pairs = zip(some, reply["docs"], strict=True) if reply else ()
            found |= {unit: document["_version"] for unit, document in pairs if document.get("found")}
        return found

    def drop_space(self, space: str) -> int:
        """In steps, until a look finds nothing more."""
        body = json.dumps({"query": {"term": {"space": space}}})
        params = {"conflicts": "proceed", "refresh": "true", "max_docs": PAGE}
        dropped = 0
        self.refresh()
        while reply := self._client.call(
            "POST", f"/{self._write}/_delete_by_query", body, params=params, timeout_s=ERASE_TIMEOUT_S
        ):
            dropped += reply["deleted"]
            if not reply["deleted"] and not reply["version_conflicts"]:
                break
        return dropped

    def refresh(self) -> None:
        self._client.call("POST", f"/{self._write}/_refresh")

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()
