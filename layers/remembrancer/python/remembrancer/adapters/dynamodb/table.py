"""One table: reads that are complete, writes that say why they were refused, transactions that wait their turn."""

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from remembrancer import aws
from remembrancer.adapters.dynamodb.attempts import Pause, patiently
from remembrancer.adapters.dynamodb.items import Item, from_wire, to_wire, wire

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

Key: TypeAlias = tuple[str, str]
Write: TypeAlias = dict[str, dict[str, Any]]
"""One write as a transaction has it: `{"Put": …}`, `{"Update": …}`, `{"Delete": …}`, `{"ConditionCheck": …}`."""

MAX_WRITES = 100
MAX_SIDE = 8
ABSENT = "attribute_not_exists(#pk)"
PRESENT = "attribute_exists(#pk)"


class Table:
    """A table by name; conditions and updates write an attribute as `#name` and a value as `:name`."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def client(self) -> "DynamoDBClient":
        found: DynamoDBClient = aws.client("dynamodb")
        return found

    # ------------------------------------------------------------ reads

    def get(self, key: Key) -> Item | None:
        """One item, read consistently."""
        if not _possible(key):
            return None
        reply = aws.call(self.client.get_item, self.name, TableName=self.name, Key=_key(key), ConsistentRead=True)
        return from_wire(reply["Item"]) if "Item" in reply else None

    def get_many(self, keys: Sequence[Key]) -> list[Item]:
        """Those of the items that exist, in no order, read consistently; 100 a call, calls side by side."""
        wanted = [_key(key) for key in dict.fromkeys(keys) if _possible(key)]
        batches = [wanted[start : start + MAX_WRITES] for start in range(0, len(wanted), MAX_WRITES)]
        if len(batches) < 2:
            return self._batch(wanted)
        with ThreadPoolExecutor(min(len(batches), MAX_SIDE)) as pool:
            return [item for found in pool.map(self._batch, batches) for item in found]

    def _batch(self, waiting: list[dict[str, Any]]) -> list[Item]:
        found: list[Item] = []
        pause = Pause(self.name)
        while waiting:
            batch, waiting = waiting[:MAX_WRITES], waiting[MAX_WRITES:]
            reply = aws.call(
                self.client.batch_get_item,
                self.name,
                RequestItems={self.name: {"Keys": batch, "ConsistentRead": True}},
            )
            found += [from_wire(item) for item in reply["Responses"].get(self.name, [])]
            unprocessed = reply.get("UnprocessedKeys", {})
            left: list[Any] = list(unprocessed[self.name]["Keys"]) if self.name in unprocessed else []
            waiting += left
            if len(left) == len(batch):
                pause()
        return found

    def query(
        self,
        key: str,
        *,
        index: str = "",
        newest_first: bool = False,
        limit: int | None = None,
        condition: str = "",
        only: str = "",
        fields: str = "",
        **values: Any,
    ) -> Iterator[Item]:
        """Items of one partition in order, page after page; consistent except through an index.

        `condition` narrows the sort key, `only` filters what was read, `fields` names the attributes to return.
        """
        partition = {"by_kind": "#gk", "by_session": "#gs", "by_change": "#gc"}.get(index, "#pk")
        where = f"{partition} = :partition" + (f" AND {condition}" if condition else "")
        texts = {"KeyConditionExpression": where, "FilterExpression": only, "ProjectionExpression": fields}
        request = _expressions(texts, {"partition": key, **values})
        request["ScanIndexForward"] = not newest_first
        request |= {"IndexName": index} if index else {"ConsistentRead": True}
        if limit is not None and not only:
            request["Limit"] = limit
        found = self._pages(request)
        return found if limit is None else islice(found, limit)

    def _pages(self, request: dict[str, Any]) -> Iterator[Item]:
        while True:
            reply = aws.call(self.client.query, self.name, TableName=self.name, **request)
            yield from map(from_wire, reply["Items"])
            if "LastEvaluatedKey" not in reply:
                return
            request = {**request, "ExclusiveStartKey": reply["LastEvaluatedKey"]}

    # ------------------------------------------------------------ writes

    def put(self, item: Item, condition: str = "", **values: Any) -> Write:
        texts = {"ConditionExpression": condition}
        return {"Put": {"TableName": self.name, "Item": to_wire(item), **_expressions(texts, values)}}

    def update(self, key: Key, update: str, condition: str = "", **values: Any) -> Write:
        texts = {"UpdateExpression": update, "ConditionExpression": condition}
        return {"Update": {"TableName": self.name, "Key": _key(key), **_expressions(texts, values)}}

    def delete(self, key: Key, condition: str = "", **values: Any) -> Write:
        texts = {"ConditionExpression": condition}
        return {"Delete": {"TableName": self.name, "Key": _key(key), **_expressions(texts, values)}}

    def check(self, key: Key, condition: str, **values: Any) -> Write:
        texts = {"ConditionExpression": condition}
        return {"ConditionCheck": {"TableName": self.name, "Key": _key(key), **_expressions(texts, values)}}

    def write(self, write: Write, *, before: bool = False) -> Item:
        """Do one write by itself; the item after an update, or `before` it. Raises `Refused`."""
        ((kind, request),) = write.items()
        operation: Any = {
            "Put": self.client.put_item,
            "Update": self.client.update_item,
            "Delete": self.client.delete_item,
        }[kind]
        request = request | {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        if kind == "Update":
            request["ReturnValues"] = "ALL_OLD" if before else "ALL_NEW"
        reply: dict[str, Any] = patiently(operation, self.name, request)
        return from_wire(reply.get("Attributes", {}))

    def transact(self, writes: Sequence[Write]) -> None:
        """Do up to 100 writes, all or none. Raises `Refused`."""
        full = [
            {kind: request | {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}
            for write in writes
            for kind, request in write.items()
        ]
        patiently(self.client.transact_write_items, self.name, {"TransactItems": full})


def _possible(key: Key) -> bool:
    """False for a sort key that no item can have: ids come from callers, and an impossible one is just absent."""
    try:
        return 0 < len(key[1].encode()) <= 1024
    except UnicodeEncodeError:
        return False


def _key(key: Key) -> dict[str, Any]:
    return {"pk": {"S": key[0]}, "sk": {"S": key[1]}}


def _expressions(texts: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    used = {kind: text for kind, text in texts.items() if text}
    request: dict[str, Any] = dict(used)
    if names := set(re.findall(r"#(\w+)", " ".join(used.values()))):
        request["ExpressionAttributeNames"] = {f"#{name}": name for name in names}
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": wire(value) for name, value in values.items()}
    return request
