"""Leases: one item a space, which stays for ever so that its fence never goes back."""

from remembrancer.adapters.dynamodb.attempts import Refused
from remembrancer.adapters.dynamodb.items import Item
from remembrancer.adapters.dynamodb.keys import space_key
from remembrancer.adapters.dynamodb.table import Key, Table, Write
from remembrancer.errors import Conflict, LeaseLost
from remembrancer.ports import Clock, Lease

SKEW_S = 5
OURS = "#owner = :owner AND #fence = :fence"


def lease_key(space: str) -> Key:
    """The one lease of a space."""
    return space_key(space), "LEASE"


def held(table: Table, space: str, lease: Lease) -> Write:
    """The part of a transaction that fails when the fence is not the current one."""
    return table.check(lease_key(space), OURS, owner=lease.owner, fence=lease.fence)


def under(table: Table, space: str, lease: Lease | None, write: Write) -> None:
    """Do one write, under the fence if there is one. Raises `LeaseLost`, and `Refused` for its own condition."""
    if lease is None:
        table.write(write)
        return
    try:
        table.transact([write, held(table, space, lease)])
    except Refused as refused:
        if 1 in refused.found:
            raise LeaseLost("the lease has gone to another holder") from None
        raise


class DynamoLeases:
    """See `ports.Leases`."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self.table = table
        self.clock = clock

    def take(self, space: str, owner: str, purpose: str, *, seconds: int, over: str = "") -> Lease:
        now = self.clock.now_ms() // 1000
        free = "attribute_not_exists(#owner) OR (#owner <> :owner AND (#expires_at < :limit OR #owner = :over))"
        change = "SET #owner = :owner, #purpose = :purpose, #expires_at = :expires, #since = :now ADD #fence :one"
        try:
            item = self.table.write(
                self.table.update(
                    lease_key(space),
                    change,
                    free,
                    owner=owner,
                    purpose=purpose,
                    expires=now + seconds,
                    limit=now - SKEW_S,
                    over=over,
                    now=now,
                    one=1,
                )
            )
        except Refused as refused:
            item = refused.found[0]
            if item["owner"] != owner:
                raise _busy(item, now) from None
            return self.renew(_lease(space, item), seconds=seconds)
        return _lease(space, item)

    def renew(self, lease: Lease, *, seconds: int) -> Lease:
        expires = self.clock.now_ms() // 1000 + seconds
        update = self.table.update(
            lease_key(lease.space),
            "SET #expires_at = :expires",
            OURS,
            expires=expires,
            owner=lease.owner,
            fence=lease.fence,
        )
        try:
            return _lease(lease.space, self.table.write(update))
        except Refused:
            raise LeaseLost("the lease has gone to another holder") from None

    def release(self, lease: Lease) -> None:
        update = self.table.update(
            lease_key(lease.space),
            "REMOVE #owner, #purpose, #expires_at, #since",
            OURS,
            owner=lease.owner,
            fence=lease.fence,
        )
        try:
            self.table.write(update)
        except Refused:
            return  # somebody else has it by now: nothing of ours is left to give back

    def current(self, space: str) -> Lease | None:
        item = self.table.get(lease_key(space))
        if item is None or "owner" not in item or item["expires_at"] <= self.clock.now_ms() // 1000:
            return None
        return _lease(space, item)

    def fence(self, space: str) -> int:
        return int((self.table.get(lease_key(space)) or {}).get("fence", 0))


def _lease(space: str, item: Item) -> Lease:
    return Lease(space, item["owner"], item["fence"], item["expires_at"], item.get("purpose", ""))


def _busy(item: Item, now: int) -> Conflict:
    since = max(0, now - item["since"])
    wait = max(1, item["expires_at"] + SKEW_S + 1 - now)
    return Conflict(f"busy: {item['purpose'] or 'a change'} has held the lease for {since} s", retry_after_s=wait)
