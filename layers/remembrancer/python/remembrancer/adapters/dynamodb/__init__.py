"""The memory and expiring tables, `dynamodb://TABLE`; each port is made when it is first asked for."""

from functools import cached_property
from urllib.parse import urlsplit

from remembrancer.adapters.dynamodb.catalogue import DynamoCatalogue
from remembrancer.adapters.dynamodb.entries import DynamoEntries
from remembrancer.adapters.dynamodb.leases import DynamoLeases
from remembrancer.adapters.dynamodb.runs import DynamoRuns
from remembrancer.adapters.dynamodb.selections import DynamoSelections
from remembrancer.adapters.dynamodb.sessions import DynamoSessions
from remembrancer.adapters.dynamodb.spaces import DynamoSpaces
from remembrancer.adapters.dynamodb.table import Table
from remembrancer.adapters.dynamodb.tokens import DynamoTokens
from remembrancer.ports import Clock


class Memory:
    """What is kept for good."""

    def __init__(self, url: str, clock: Clock, zone: str = "UTC") -> None:
        self.table = Table(urlsplit(url).netloc)
        self.clock = clock
        self.zone = zone

    @cached_property
    def entries(self) -> DynamoEntries:
        return DynamoEntries(self.table, self.clock)

    @cached_property
    def catalogue(self) -> DynamoCatalogue:
        return DynamoCatalogue(self.table)

    @cached_property
    def spaces(self) -> DynamoSpaces:
        return DynamoSpaces(self.table, self.zone)

    @cached_property
    def leases(self) -> DynamoLeases:
        return DynamoLeases(self.table, self.clock)

    @cached_property
    def runs(self) -> DynamoRuns:
        return DynamoRuns(self.table)

    @cached_property
    def tokens(self) -> DynamoTokens:
        return DynamoTokens(self.table)


class Expiring:
    """What ends by itself."""

    def __init__(self, url: str, clock: Clock) -> None:
        self.table = Table(urlsplit(url).netloc)
        self.clock = clock

    @cached_property
    def sessions(self) -> DynamoSessions:
        return DynamoSessions(self.table, self.clock)

    @cached_property
    def selections(self) -> DynamoSelections:
        return DynamoSelections(self.table, self.clock)
