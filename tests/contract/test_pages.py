import hashlib
from typing import Any

import boto3
import pytest

from remembrancer.adapters.s3 import S3Pages
from remembrancer.errors import Invalid, PreconditionFailed

TEA = "concepts/drinks/tea.md"


def test_an_object_comes_back_with_what_was_told_about_it(pages: S3Pages, space: str) -> None:
    body = "# Tea ☕\r\n".encode()
    written = pages.write(space, TEA, body, etag=None, rev=3, run="01RUN", fence=2)
    assert (written.key, written.body) == (f"spaces/{space}/{TEA}", body)
    assert (written.rev, written.run, written.sha256) == (3, "01RUN", hashlib.sha256(body).hexdigest())
    assert written.etag and written.version
    found = pages.read(space, TEA)
    assert found is not None
    assert abs(found.modified_ms - written.modified_ms) <= 2_000
    assert (found.body, found.etag, found.version) == (body, written.etag, written.version)
    assert (found.rev, found.run, found.sha256) == (3, "01RUN", written.sha256)


def test_an_absent_object_is_none(pages: S3Pages, space: str) -> None:
    assert pages.read(space, TEA) is None
    pages.write(space, TEA, b"tea", etag=None)
    assert pages.read(f"{space}-b", TEA) is None
    assert pages.read(space, TEA, version="nosuchversion") is None


def test_create_refuses_an_object_that_exists(pages: S3Pages, space: str) -> None:
    pages.write(space, TEA, b"one", etag=None)
    with pytest.raises(PreconditionFailed):
        pages.write(space, TEA, b"two", etag=None)
    found = pages.read(space, TEA)
    assert found is not None and found.body == b"one"


def test_replace_takes_exactly_the_named_object(pages: S3Pages, space: str) -> None:
    first = pages.write(space, TEA, b"one", etag=None)
    second = pages.write(space, TEA, b"two", etag=first.etag)
    with pytest.raises(PreconditionFailed):
        pages.write(space, TEA, b"three", etag=first.etag)
    found = pages.read(space, TEA)
    assert found is not None and (found.body, found.etag) == (b"two", second.etag)


def test_replace_of_an_absent_object_is_refused(pages: S3Pages, space: str) -> None:
    with pytest.raises(PreconditionFailed):
        pages.write(space, TEA, b"one", etag='"d41d8cd98f00b204e9800998ecf8427e"')
    assert pages.read(space, TEA) is None


def test_a_star_replaces_anything(pages: S3Pages, space: str) -> None:
    pages.write(space, TEA, b"one", etag="*")
    pages.write(space, TEA, b"two", etag="*")
    found = pages.read(space, TEA)
    assert found is not None and found.body == b"two"


def test_a_deleted_object_is_gone_but_its_versions_stay(pages: S3Pages, space: str) -> None:
    first = pages.write(space, TEA, b"one", etag=None)
    pages.delete(space, TEA)
    assert pages.read(space, TEA) is None
    fresh = S3Pages(f"s3://{pages.bucket}")
    old = fresh.read(space, TEA, version=first.version)
    assert old is not None and old.body == b"one"
    pages.write(space, TEA, b"again", etag=None)
    pages.delete(space, "concepts/nowhere.md")


def test_only_the_named_object_is_deleted(pages: S3Pages, space: str) -> None:
    first = pages.write(space, TEA, b"one", etag=None)
    second = pages.write(space, TEA, b"two", etag=first.etag, fence=7)
    with pytest.raises(PreconditionFailed):
        pages.delete(space, TEA, etag=first.etag)
    found = pages.read(space, TEA)
    assert found is not None and (found.etag, found.fence) == (second.etag, 7)
    pages.delete(space, TEA, etag=second.etag)
    assert pages.read(space, TEA) is None


def test_a_version_is_read_once(pages: S3Pages, space: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = pages.write(space, TEA, b"one", etag=None)
    pages.write(space, TEA, b"two", etag=first.etag)
    fresh = S3Pages(f"s3://{pages.bucket}")
    once = fresh.read(space, TEA, version=first.version)
    monkeypatch.setattr("remembrancer.adapters.s3.aws.call", no_call)
    assert fresh.read(space, TEA, version=first.version) == once
    assert once is not None and once.body == b"one"
    with pytest.raises(AssertionError, match="called"):
        fresh.read(space, TEA)


def test_kept_versions_stay_within_their_room(pages: S3Pages, space: str) -> None:
    size = 5 * 1024 * 1024
    versions = [pages.write(space, f"imports/{n}.md", bytes([n]) * size, etag=None).version for n in range(4)]
    kept = pages._kept._found
    assert [key[1] for key in kept] == versions[1:]
    assert pages.read(space, "imports/0.md", version=versions[0]) is not None
    assert [key[1] for key in kept] == [*versions[2:], versions[0]]


def test_an_object_of_somebody_else_has_rev_zero(pages: S3Pages, space: str) -> None:
    s3 = boto3.client("s3")
    s3.put_object(Bucket=pages.bucket, Key=f"spaces/{space}/{TEA}", Body=b"by hand")
    s3.close()
    found = pages.read(space, TEA)
    assert found is not None
    assert (found.rev, found.run, found.sha256) == (0, "", "")


def test_an_object_has_its_content_type(pages: S3Pages, space: str) -> None:
    s3 = boto3.client("s3")
    for name, expected in [(TEA, "text/markdown; charset=utf-8"), ("runs/01R/plan.json", "application/json")]:
        written = pages.write(space, name, b"{}", etag=None)
        assert s3.head_object(Bucket=pages.bucket, Key=written.key)["ContentType"] == expected
    s3.close()


def test_names_are_listed_in_order_below_a_prefix(pages: S3Pages, space: str) -> None:
    for name in ("concepts/b.md", "concepts/a/x.md", "concepts/a.md", "views/recent.md"):
        pages.write(space, name, b"x", etag=None)
    pages.write(f"{space}-b", "concepts/c.md", b"x", etag=None)
    assert pages.names(space, "concepts/") == ["concepts/a.md", "concepts/a/x.md", "concepts/b.md"]
    assert pages.names(space, "concepts/", limit=1) == ["concepts/a.md"]
    assert pages.names(space, "concepts/", after="concepts/a.md") == ["concepts/a/x.md", "concepts/b.md"]
    assert pages.names(space, "") == [
        "concepts/a.md",
        "concepts/a/x.md",
        "concepts/b.md",
        "views/recent.md",
    ]
    assert pages.names(space, "archive/") == []


@pytest.mark.parametrize("name", ["", "/a.md", "a//b.md", "../x.md", "a/../b.md", "a/", "a b.md", "a" * 401])
def test_a_name_that_could_leave_the_space_is_refused(pages: S3Pages, space: str, name: str) -> None:
    with pytest.raises(Invalid) as caught:
        pages.read(space, name)
    assert caught.value.field == "name"
    with pytest.raises(Invalid):
        pages.write(space, name, b"x", etag="*")
    with pytest.raises(Invalid):
        pages.delete(space, name)


@pytest.mark.parametrize("bad", ["", "*", "..", "a/b", "%"])
def test_a_space_that_is_no_identifier_is_refused(pages: S3Pages, bad: str) -> None:
    with pytest.raises(Invalid) as caught:
        pages.names(bad, "concepts/")
    assert caught.value.field == "space"


def no_call(*_: Any, **__: Any) -> None:
    raise AssertionError("called")
