"""Many entries changed under one fence: in transactions, each tried again without what somebody else did first."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from remembrancer.adapters.dynamodb.attempts import Refused
from remembrancer.adapters.dynamodb.items import Item
from remembrancer.adapters.dynamodb.layout import counts_key
from remembrancer.adapters.dynamodb.leases import held
from remembrancer.adapters.dynamodb.table import MAX_WRITES, Table, Write
from remembrancer.core.entries import Entry
from remembrancer.errors import LeaseLost
from remembrancer.ports import Lease


@dataclass
class Change:
    """One entry on its way: its writes, and the parts that belong to guards and may be left out."""

    entry: Entry
    before: Entry | None = None
    guards: bool = True
    writes: list[Write] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


Again: TypeAlias = Callable[[Change, dict[int, Item]], Change | None]


class Changes:
    """Every transaction checks the fence first and keeps the counts of the space last."""

    def __init__(self, table: Table, space: str, lease: Lease) -> None:
        self.table = table
        self.space = space
        self.lease = lease

    def run(
        self,
        changes: list[Change],
        write: Callable[[Change], None],
        again: Again,
        last: list[Write] | None = None,
    ) -> int:
        """Write all changes; how many were not done already. `last` is part of the last transaction.

        `write` fills in a change's writes; `again` gives what is left of one whose conditions failed, by what the
        table holds instead.
        """
        done = 0
        while changes or last:
            batch: list[Change] = []
            writes = [held(self.table, self.space, self.lease)]
            for change in changes:
                write(change)
                if len(writes) + len(change.writes) + len(last or ()) >= MAX_WRITES:
                    break
                batch.append(change)
                writes += change.writes
            rest = changes[len(batch) :]
            final = last or [] if not rest else []
            try:
                self.table.transact([*writes, *self._counted(batch), *final])
            except Refused as refused:
                if 0 in refused.found:
                    raise LeaseLost("the lease has gone to another holder") from None
                changes = _retried(batch, refused.found, again) + rest
            else:
                done += len(batch)
                changes = rest
                last = None if final else last
        return done

    def _counted(self, batch: Sequence[Change]) -> list[Write]:
        total: Counter[str] = Counter()
        for change in batch:
            total.update(change.counts)
        deltas: dict[str, Any] = {name: delta for name, delta in total.items() if delta}
        if not deltas:
            return []
        change_counts = "ADD " + ", ".join(f"#{name} :{name}" for name in deltas)
        return [self.table.update(counts_key(self.space), change_counts, **deltas)]


def _retried(batch: Sequence[Change], found: Mapping[int, Item], again: Again) -> list[Change]:
    """The batch without what needs no more work, changed where something else is in the table than was thought."""
    left: list[Change] = []
    place = 1
    for change in batch:
        mine = {i: found[place + i] for i in range(len(change.writes)) if place + i in found}
        following = again(change, mine) if mine else change
        left += [following] if following else []
        place += len(change.writes)
    return left
