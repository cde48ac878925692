"""Selection events: one item a turn, by ULID."""

from collections.abc import Iterator, Sequence

from remembrancer.adapters.dynamodb.items import pack, unpack
from remembrancer.adapters.dynamodb.keys import selections_key
from remembrancer.adapters.dynamodb.table import Table, Write
from remembrancer.core.sessions import Pick, Selection
from remembrancer.ports import Clock

KEEP_S = 90 * 24 * 3600


class DynamoSelections:
    """See `ports.Selections`."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self.table = table
        self.clock = clock

    def recent(self, space: str) -> Iterator[Selection]:
        now = self.clock.now_ms() // 1000
        items = self.table.query(selections_key(space))
        return (unpack(Selection, item) for item in items if item["expires_at"] > now)


def event(table: Table, clock: Clock, space: str, session_id: str, picks: Sequence[Pick]) -> Write:
    """The write of one event, for the transaction of its turn."""
    now = clock.now_ms()
    own = {"pk": selections_key(space), "sk": clock.new_id(), "expires_at": now // 1000 + KEEP_S}
    return table.put({**pack(Selection(now, session_id, tuple(picks))), **own})
