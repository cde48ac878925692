"""DynamoDB's item changes on disk before they are acknowledged; runs inside the emulator.

The emulator saves its tables only when it ends by SIGTERM. Here every change of an item is appended to
`items.<n>.jsonl` as the item's new value, a transaction as one line, before the reply leaves. A snapshot of the
tables names the first journal that it does not contain, so a start loads the snapshot and goes on from there.
Survives the death of the process; a power cut may take what the kernel had not written yet.
"""

import json
import os
import threading
from pathlib import Path
from typing import Any

FIELD = "journal"
TAILS = "stream_tails"


class Journal:
    """Wraps the emulator's DynamoDB module; `scope` sets the account and region of a request."""

    def __init__(self, folder: Path, dynamodb: Any, functions: Any, scope: Any) -> None:
        self.folder, self.dynamodb, self.functions, self.scope = folder, dynamodb, functions, scope
        self.lock = threading.RLock()
        self.group = threading.local()
        self.generation = 0
        self.file = -1
        self.size = 0
        self.set, self.remove = dynamodb._set_item, dynamodb._remove_item
        self.transact, self.state = dynamodb._transact_write_items, dynamodb.get_state
        folder.mkdir(parents=True, exist_ok=True)
        dynamodb._set_item = self._set_item
        dynamodb._remove_item = self._remove_item
        dynamodb._transact_write_items = self._transact_write_items
        dynamodb.get_state = self.snapshot

    def _path(self, generation: int) -> Path:
        return self.folder / f"items.{generation}.jsonl"

    def _set_item(self, table: Any, pk: Any, sk: Any, item: Any) -> Any:
        with self.lock:
            old = self.set(table, pk, sk, item)
            self._note([table["TableArn"], pk, sk, item])
            return old

    def _remove_item(self, table: Any, pk: Any, sk: Any) -> Any:
        with self.lock:
            old = self.remove(table, pk, sk)
            self._note([table["TableArn"], pk, sk, None])
            return old

    def _transact_write_items(self, data: Any) -> Any:
        self.group.changes = []
        try:
            return self.transact(data)
        finally:
            changes = self.group.changes
            self.group.changes = None
            if changes:
                self._append(changes)

    def _note(self, change: list[Any]) -> None:
        changes = getattr(self.group, "changes", None)
        if changes is None:
            self._append([change])
        else:
            changes.append(change)

    def _append(self, changes: list[list[Any]]) -> None:
        line = json.dumps(changes).encode() + b"\n"
        with self.lock:
            if self.file < 0:
                self.file = os.open(self._path(self.generation), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            self.size += len(line)
            while line:
                line = line[os.write(self.file, line) :]

    def snapshot(self) -> dict[str, Any]:
        """The module's state, with the number of the journal that follows it and unread stream records."""
        with self.lock:
            if self.file >= 0:
                os.close(self.file)
            self.file, self.size = -1, 0
            self.generation += 1
            return {**self.state(), FIELD: self.generation, TAILS: self._tails()}

    def _tails(self) -> list[list[Any]]:
        """`[account, region, table, first position, records]` of each stream, from its slowest reader on."""
        db = self.dynamodb
        positions: dict[str, int] = {}
        for scoped, mapping in list(self.functions._esms._data.items()):
            arn = mapping.get("EventSourceArn", "")
            at = self.functions._dynamodb_stream_positions._data.get(scoped, 0)
            positions[arn] = min(at, positions.get(arn, at))
        tails = []
        for (account, region, name), table in db._tables.all_items():
            first = positions.get(table.get("LatestStreamArn", ""))
            if first is not None:
                place = {"account_id": account, "region": region}
                start = max(first, db._trimmed_count(name, account, region))
                tails.append([account, region, name, start, db.stream_records_since(name, start, 10**9, **place)])
        return tails

    def forget(self, generation: int) -> None:
        """Remove the journals that the saved snapshot with this number contains."""
        for number in self._numbers():
            if number < generation:
                self._path(number).unlink()

    def _numbers(self) -> list[int]:
        return sorted(int(path.name.split(".")[1]) for path in self.folder.glob("items.*.jsonl"))

    def restore(self, snapshot: dict[str, Any]) -> int:
        """Continue from a loaded snapshot: unread stream records, then every later change; how many lines."""
        for account, region, name, start, records in snapshot.get(TAILS, []):
            self.dynamodb._stream_records.set_scoped(account, region, name, records)
            self.dynamodb._stream_trimmed.set_scoped(account, region, name, start)
        first, count = snapshot.get(FIELD, 0), 0
        for number in self._numbers():
            for line in self._path(number).read_bytes().splitlines(keepends=True) if number >= first else []:
                if line.endswith(b"\n"):
                    for change in json.loads(line):
                        self._apply(*change)
                    count += 1
        self.generation = max([first, *(number + 1 for number in self._numbers())])
        return count

    def _apply(self, arn: str, pk: Any, sk: Any, item: Any) -> None:
        _, _, _, region, account, resource = arn.split(":", 5)
        name = resource.removeprefix("table/")
        table = self.dynamodb._tables.get_scoped(account, region, name)
        if table is None:
            return
        old = self.remove(table, pk, sk) if item is None else self.set(table, pk, sk, item)
        self.scope._request_account_id.set(account)
        self.scope._request_region.set(region)
        event = "REMOVE" if item is None else "MODIFY" if old else "INSERT"
        if item is not None or old is not None:
            self.dynamodb._emit_stream_event(name, event, old, item, replicate=False)
