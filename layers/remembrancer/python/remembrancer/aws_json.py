"""DynamoDB's JSON as it is on the wire.

We make and read items in that form ourselves, so botocore's walk over every value by its shape would change
nothing and take more time than all else that a call costs. Only binary values look different: they stay base64.
"""

import json
from typing import Any

from botocore.parsers import JSONParser, ResponseParser, ResponseParserFactory
from botocore.serialize import JSONSerializer


def client(session: Any, config: Any) -> Any:
    """A client of DynamoDB whose requests and replies hold values in the wire's form, binary ones as base64."""
    session.register_component("response_parser_factory", _Parsers())
    made = session.create_client("dynamodb", config=config)
    made._serializer = _Serializer()
    return made


class _Parsers(ResponseParserFactory):
    def create_parser(self, protocol_name: str) -> ResponseParser:
        return _Parser(blob_parser=_same)


class _Serializer(JSONSerializer):
    def _serialize(self, serialized: dict[str, Any], value: Any, shape: Any, key: str | None = None) -> None:
        serialized.update(value)


class _Parser(JSONParser):
    def _handle_json_body(self, raw_body: bytes, shape: Any) -> Any:
        return json.loads(raw_body) if raw_body else {}


def _same(value: Any) -> Any:
    return value
