"""API tokens of the tenant: one partition, read whole by an administrator only."""

from remembrancer.adapters.dynamodb.items import pack, unpack
from remembrancer.adapters.dynamodb.table import Table
from remembrancer.ports import Token

PARTITION = "TOKENS"


class DynamoTokens:
    """See `ports.Tokens`."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def get(self, token_id: str) -> Token | None:
        item = self.table.get((PARTITION, token_id)) if token_id else None
        return unpack(Token, item, id=token_id) if item else None

    def put(self, token: Token) -> None:
        self.table.write(self.table.put(pack(token) | {"pk": PARTITION, "sk": token.id}))

    def all(self) -> list[Token]:
        return [unpack(Token, item, id=item["sk"]) for item in self.table.query(PARTITION)]
