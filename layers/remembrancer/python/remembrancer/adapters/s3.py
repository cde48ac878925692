"""Pages and every other object of the bucket, `s3://BUCKET`."""

import hashlib
import re
from collections import OrderedDict
from email.utils import parsedate_to_datetime
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from remembrancer import aws
from remembrancer.errors import Invalid, PreconditionFailed
from remembrancer.ports import Stored

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

ABSENT = {"404", "NoSuchKey", "NoSuchVersion", "MethodNotAllowed"}
CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"}
TYPES = {"md": "text/markdown; charset=utf-8", "json": "application/json", "jsonl": "application/x-ndjson"}
SPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")
MAX_NAME = 400
KEPT_BYTES = 16 * 1024 * 1024


class S3Pages:
    """See `ports.Pages`. Versions never change, so those that were read are kept, up to 16 MB."""

    def __init__(self, url: str) -> None:
        self.bucket = urlsplit(url).netloc
        self._kept = _Kept(KEPT_BYTES)

    @property
    def client(self) -> "S3Client":
        found: S3Client = aws.client("s3")
        return found

    def read(self, space: str, name: str, *, version: str = "") -> Stored | None:
        from botocore.exceptions import ClientError

        key = _key(space, name)
        if version and (kept := self._kept.get((key, version))):
            return kept
        more: dict[str, Any] = {"VersionId": version} if version else {}
        try:
            stored = aws.call(self._get, self.bucket, key=key, **more)
        except ClientError as error:
            if error.response["Error"]["Code"] in ABSENT:
                return None
            raise
        self._kept.put((key, stored.version), stored)
        return stored

    def _get(self, *, key: str, **more: Any) -> Stored:
        reply = self.client.get_object(Bucket=self.bucket, Key=key, **more)
        told = reply["Metadata"]
        return Stored(
            key=key,
            body=reply["Body"].read(),
            etag=reply["ETag"],
            version=reply.get("VersionId", ""),
            modified_ms=int(reply["LastModified"].timestamp() * 1000),
            rev=int(told["rev"]) if told.get("rev", "").isdecimal() else 0,
            run=told.get("run", ""),
            sha256=told.get("sha256", ""),
            fence=int(told["fence"]) if told.get("fence", "").isdecimal() else 0,
        )

    def write(
        self,
        space: str,
        name: str,
        body: bytes,
        *,
        etag: str | None,
        rev: int = 0,
        run: str = "",
        fence: int = 0,
    ) -> Stored:
        from botocore.exceptions import ClientError

        key, sha256 = _key(space, name), hashlib.sha256(body).hexdigest()
        told = {"rev": str(rev), "fence": str(fence), "sha256": sha256} | ({"run": run} if run else {})
        condition = {"IfNoneMatch": "*"} if etag is None else {} if etag == "*" else {"IfMatch": etag}
        try:
            reply = aws.call(
                self.client.put_object,
                self.bucket,
                Bucket=self.bucket,
                Key=key,
                Body=body,
                ContentType=TYPES.get(name.rpartition(".")[2], "application/octet-stream"),
                Metadata=told,
                **condition,
            )
        except ClientError as error:
            if error.response["Error"]["Code"] not in CHANGED:
                raise
            if error.response["ResponseMetadata"].get("RetryAttempts"):
                # the first attempt may have succeeded although its reply was lost
                now = self.read(space, name)
                if now and (now.sha256, now.rev, now.run) == (sha256, rev, run):
                    return now
            raise PreconditionFailed("the object is not the one that was read") from None
        date = parsedate_to_datetime(reply["ResponseMetadata"]["HTTPHeaders"]["date"])
        stored = Stored(
            key=key,
            body=body,
            etag=reply["ETag"],
            version=reply.get("VersionId", ""),
            modified_ms=int(date.timestamp() * 1000),
            rev=rev,
            run=run,
            sha256=sha256,
            fence=fence,
        )
        self._kept.put((key, stored.version), stored)
        return stored

    def delete(self, space: str, name: str, *, etag: str = "") -> None:
        from botocore.exceptions import ClientError

        only: dict[str, Any] = {"IfMatch": etag} if etag else {}
        try:
            aws.call(self.client.delete_object, self.bucket, Bucket=self.bucket, Key=_key(space, name), **only)
        except ClientError as error:
            if error.response["Error"]["Code"] not in CHANGED:
                raise
            raise PreconditionFailed("the object is not the one that was read") from None

    def names(self, space: str, prefix: str, *, limit: int = 1000, after: str = "") -> list[str]:
        base = _base(space)
        start = {"StartAfter": base + after} if after else {}
        listed = aws.call(self._list, self.bucket, Prefix=base + prefix, limit=limit, **start)
        return [key.removeprefix(base) for key in listed]

    def _list(self, *, limit: int, **request: Any) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, **request)
        return list(islice((line["Key"] for page in pages for line in page.get("Contents", [])), limit))


class _Kept:
    """The versions that were used last, as many as fit."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._lock = Lock()
        self._found: OrderedDict[tuple[str, str], Stored] = OrderedDict()

    def get(self, key: tuple[str, str]) -> Stored | None:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def put(self, key: tuple[str, str], stored: Stored) -> None:
        if not key[1]:
            return  # an unversioned bucket: the name alone says nothing about the bytes
        with self._lock:
            if key not in self._found:
                self._room -= len(stored.body)
            self._found[key] = stored
            while self._room < 0:
                _, dropped = self._found.popitem(last=False)
                self._room += len(dropped.body)


def _base(space: str) -> str:
    if not SPACE.fullmatch(space):
        raise Invalid("not an identifier", field="space")
    return f"spaces/{space}/"


def _key(space: str, name: str) -> str:
    if len(name) > MAX_NAME or not NAME.fullmatch(name):
        raise Invalid("not a name", field="name")
    return _base(space) + name
