"""Rights to the tenant's items and objects, no wider than a function's work."""

from collections.abc import Mapping

from aws_cdk import Aws

from infra.function import Function
from infra.storage import INDEXES, Storage

READ = ("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query")
WRITE = ("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem")
ONCE = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem")
ITEMS = {
    "memory:read": ("memory", READ, "S#*"),
    "memory:write": ("memory", WRITE, "S#*"),
    "spaces:read": ("memory", ("dynamodb:Query",), "SPACES"),
    "spaces:write": ("memory", ("dynamodb:UpdateItem",), "SPACES"),
    "tokens:read": ("memory", ("dynamodb:GetItem",), "TOKENS"),
    "tokens:write": ("memory", ("dynamodb:Query", "dynamodb:PutItem"), "TOKENS"),
    "sessions": ("expiring", (*READ, *WRITE), "X#*"),
    "selections:read": ("expiring", ("dynamodb:Query",), "Q#*"),
    "selections:write": ("expiring", ("dynamodb:PutItem",), "Q#*"),
    "idempotency": ("expiring", ONCE, "IDEMPOTENCY"),
}
"""Right: table, actions, and the partitions that it reaches."""
OBJECTS = {
    "pages:read": ("s3:GetObject", "s3:GetObjectVersion"),
    "pages:write": ("s3:PutObject",),
    "pages:delete": ("s3:DeleteObject",),
}
ENCRYPTION = (
    "kms:Decrypt",
    "kms:DescribeKey",
    "kms:Encrypt",
    "kms:GenerateDataKey",
    "kms:ReEncryptFrom",
    "kms:ReEncryptTo",
)


def grant(function: Function, right: str, storage: Storage) -> None:
    """Give a function one right, and the use of the key through the service that has the data."""
    if right in ITEMS:
        _grant_items(function, storage, *ITEMS[right])
    else:
        function.allow(OBJECTS[right], storage.bucket.arn_for_objects("spaces/*"))
        # without the right to list, an absent object is "access denied"; that check names no prefix
        within = {"StringLikeIfExists": {"s3:prefix": "spaces/*"}}
        function.allow(["s3:ListBucket"], storage.bucket.bucket_arn, conditions=within)
    services = [f"{service}.{Aws.REGION}.amazonaws.com" for service in ("dynamodb", "s3")]
    through: Mapping[str, object] = {"StringEquals": {"kms:ViaService": services}}
    function.allow(ENCRYPTION, storage.key.key_arn, conditions=through)


def _grant_items(
    function: Function, storage: Storage, table: str, actions: tuple[str, ...], partition: str
) -> None:
    arn = storage.memory.table_arn if table == "memory" else storage.expiring.table_arn
    queried = (table, partition) == ("memory", "S#*") and "dynamodb:Query" in actions
    indexes = [f"{arn}/index/{index}" for index in INDEXES] if queried else []
    keys = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [partition]}}
    function.allow(actions, arn, *indexes, conditions=keys)
