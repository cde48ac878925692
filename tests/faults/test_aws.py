"""AWS that is busy, closed, forbidden, or whose reply is lost on the way."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from remembrancer import aws
from remembrancer.adapters.aws_events import AwsEvents
from remembrancer.adapters.dynamodb import Memory, attempts
from remembrancer.adapters.s3 import S3Pages
from remembrancer.adapters.system_clock import SystemClock
from remembrancer.core.catalogue import PageHead
from remembrancer.core.entries import Entry
from remembrancer.errors import PreconditionFailed, RemembrancerError, Throttled, Unavailable
from remembrancer.ports import Added, Move
from tests import ministack

TENANT = "lost"


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    ministack.create(TENANT)
    with ministack.environment():
        yield Memory(f"dynamodb://{TENANT}-memory", SystemClock())


@pytest.fixture
def pages(memory: Memory) -> S3Pages:
    return S3Pages(f"s3://{TENANT}-pages")


@pytest.fixture
def space() -> str:
    return "space-" + SystemClock().new_id()


class Raw(io.BytesIO):
    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


Answer = Callable[[Any, int], AWSResponse | None]


@contextmanager
def answering(operation: str, answer: Answer) -> Iterator[list[int]]:
    """Let `answer(request, n)` reply to the n-th request of `operation`; what it answers with None goes on."""
    calls: list[int] = []

    def hook(request: Any, **_: Any) -> AWSResponse | None:
        calls.append(len(calls))
        return answer(request, len(calls) - 1)

    events = aws.client(operation.split(".")[0]).meta.events
    events.register(f"before-send.{operation}", hook)
    try:
        yield calls
    finally:
        events.unregister(f"before-send.{operation}", hook)


def reply(request: Any, status: int, body: dict[str, Any] | None = None) -> AWSResponse:
    raw: Any = Raw(json.dumps(body or {}).encode())
    headers: Any = {"content-type": "application/x-amz-json-1.0"}
    return AWSResponse(request.url, status, headers, raw)


def lost(service: str) -> Answer:
    """The first request does its work, but its caller is told of a broken server."""
    session = aws.client(service)._endpoint.http_session

    def answer(request: Any, n: int) -> AWSResponse | None:
        if n:
            return None
        session.send(request)
        return reply(request, 500)

    return answer


def refusing(code: str, status: int = 400, times: int = 1_000, **more: Any) -> Answer:
    def answer(request: Any, n: int) -> AWSResponse | None:
        return reply(request, status, {"__type": code, "message": "no", **more}) if n < times else None

    return answer


def entry(text: str) -> Entry:
    clock = SystemClock()
    now = clock.now_ms()
    return Entry(clock.new_id(), text, at_ms=now, remembered_ms=now, last_confirmed_ms=now)


def test_an_add_whose_reply_is_lost_is_stored_once(memory: Memory, space: str) -> None:
    new = entry("tea")
    with answering("dynamodb.TransactWriteItems", lost("dynamodb")) as calls:
        assert memory.entries.add(space, [new]) == [Added("stored", new.id)]
    assert len(calls) >= 2
    assert memory.entries.pending(space, limit=10) == [new]


def test_a_lease_whose_reply_is_lost_is_held_all_the_same(memory: Memory, space: str) -> None:
    with answering("dynamodb.UpdateItem", lost("dynamodb")):
        lease = memory.leases.take(space, "run-1", "test", seconds=60)
    assert (lease.owner, lease.fence) == ("run-1", 1)


def test_a_move_whose_reply_is_lost_is_done_once(memory: Memory, space: str) -> None:
    new = entry("tea")
    memory.entries.add(space, [new])
    lease = memory.leases.take(space, "run-1", "test", seconds=60)
    with answering("dynamodb.TransactWriteItems", lost("dynamodb")):
        memory.entries.settle(space, [Move(replace(new, filed_by="run-1"))], lease)
    assert memory.entries.counts(space)["active"]["semantic"] == 1


def test_a_head_whose_reply_is_lost_is_put(memory: Memory, space: str) -> None:
    with answering("dynamodb.TransactWriteItems", lost("dynamodb")):
        memory.catalogue.put(space, PageHead("tea", 1, links=("water",)), over=None)
    assert memory.catalogue.heads(space, ["tea"])["tea"].rev == 1


def test_an_object_whose_reply_is_lost_is_written(pages: S3Pages, space: str) -> None:
    with answering("s3.PutObject", lost("s3")) as calls:
        stored = pages.write(space, "concepts/tea.md", b"tea", etag=None, rev=1)
    assert len(calls) == 2
    now = pages.read(space, "concepts/tea.md")
    assert now is not None and (now.etag, now.version) == (stored.etag, stored.version)


def test_another_object_is_not_taken_for_ours_after_a_retry(pages: S3Pages, space: str) -> None:
    pages.write(space, "concepts/tea.md", b"theirs", etag=None, rev=1)
    with answering("s3.PutObject", lost("s3")), pytest.raises(PreconditionFailed):
        pages.write(space, "concepts/tea.md", b"ours", etag=None, rev=1)


def test_a_transaction_waits_for_another_one(memory: Memory, space: str) -> None:
    reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}, {"Code": "None"}]
    busy = refusing("TransactionCanceledException", times=3, CancellationReasons=reasons)
    with answering("dynamodb.TransactWriteItems", busy) as calls:
        assert memory.entries.add(space, [entry("tea")])[0].status == "stored"
    assert len(calls) == 4


def test_a_transaction_waits_no_longer_than_its_patience(
    memory: Memory, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "PATIENCE_S", 0.1)
    busy = refusing("TransactionCanceledException", CancellationReasons=[{"Code": "TransactionConflict"}])
    with answering("dynamodb.TransactWriteItems", busy), pytest.raises(Throttled) as caught:
        memory.entries.add(space, [entry("tea")])
    assert caught.value.retry_after_s == 1


def test_a_single_write_waits_for_a_transaction(memory: Memory, space: str) -> None:
    busy = refusing("TransactionConflictException", times=2)
    with answering("dynamodb.UpdateItem", busy) as calls:
        memory.spaces.update(space, {"units": 1})
    assert len(calls) == 3


def test_keys_that_the_database_left_over_are_asked_again(memory: Memory, space: str) -> None:
    new = [entry(f"fact {n}") for n in range(10)]
    memory.entries.add(space, new)

    def stingy(request: Any, n: int) -> AWSResponse | None:
        if n:
            return None
        asked = json.loads(request.body)["RequestItems"]
        return reply(request, 200, {"Responses": {}, "UnprocessedKeys": asked})

    with answering("dynamodb.BatchGetItem", stingy) as calls:
        assert set(memory.entries.get(space, [e.id for e in new])) == {e.id for e in new}
    assert len(calls) == 2


@pytest.mark.parametrize("code", ["ProvisionedThroughputExceededException", "ThrottlingException"])
def test_throttling_is_named(memory: Memory, space: str, code: str) -> None:
    with answering("dynamodb.GetItem", refusing(code)) as calls, pytest.raises(Throttled):
        memory.spaces.head(space)
    assert len(calls) == 3


def test_a_broken_server_is_unavailable(memory: Memory, pages: S3Pages, space: str) -> None:
    with answering("dynamodb.GetItem", refusing("InternalServerError", 500)), pytest.raises(Unavailable):
        memory.spaces.head(space)
    with answering("s3.GetObject", refusing("InternalError", 500)), pytest.raises(Unavailable):
        pages.read(space, "concepts/tea.md")


@pytest.mark.parametrize(
    ("message", "action"),
    [
        ("User: x is not authorized to perform: dynamodb:GetItem on resource: y", "dynamodb:GetItem"),
        ("", "GetItem"),
    ],
)
def test_a_missing_right_is_named(memory: Memory, space: str, message: str, action: str) -> None:
    closed = refusing("AccessDeniedException", message=message)
    with answering("dynamodb.GetItem", closed), pytest.raises(RemembrancerError) as caught:
        memory.spaces.head(space)
    assert str(caught.value) == f"no right to {action} on {TENANT}-memory"
    assert caught.value.status == 500


def test_nobody_at_home_is_unavailable(memory: Memory, space: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(aws, "_clients", {})
    try:
        with pytest.raises(Unavailable):
            memory.spaces.head(space)
    finally:
        aws.forget_clients()


def test_a_run_is_started_once(memory: Memory, space: str) -> None:
    definition = {"StartAt": "End", "States": {"End": {"Type": "Wait", "Seconds": 60, "End": True}}}
    machine = aws.client("stepfunctions").create_state_machine(
        name=f"consolidate-{space}", definition=json.dumps(definition), roleArn="arn:aws:iam::000000000000:role/r"
    )["stateMachineArn"]
    events, run = AwsEvents(machine, ""), SystemClock().new_id()
    assert not events.running(run)
    events.start_run(space, run, "nightly")
    events.start_run(space, run, "nightly")
    assert events.running(run)
    found = aws.client("stepfunctions").list_executions(stateMachineArn=machine)["executions"]
    assert [execution["name"] for execution in found] == [run]
    told = aws.client("stepfunctions").describe_execution(executionArn=found[0]["executionArn"])
    assert json.loads(told["input"]) == {"space": space, "run": run, "trigger": "nightly"}
    aws.client("stepfunctions").stop_execution(executionArn=found[0]["executionArn"])
    assert not events.running(run)


def test_a_full_buffer_is_told_on_the_bus(memory: Memory, space: str) -> None:
    bus = f"bus-{space}"
    aws.client("events").create_event_bus(Name=bus)
    seen: list[Any] = []

    def note(request: Any, _: int) -> None:
        seen.extend(json.loads(request.body)["Entries"])

    with answering("events.PutEvents", note):
        AwsEvents("", bus).buffer_full(space, 101)
    assert [(e["Source"], e["DetailType"], e["EventBusName"]) for e in seen] == [
        ("remembrancer", "BufferFull", bus)
    ]
    assert json.loads(seen[0]["Detail"]) == {"space": space, "lines": 101}


@pytest.mark.parametrize("call", [lambda e: e.start_run("s", "r", "t"), lambda e: e.buffer_full("s", 1)])
def test_events_without_a_target_are_an_error(call: Callable[[AwsEvents], None]) -> None:
    with pytest.raises(RemembrancerError, match="configured"):
        call(AwsEvents("", ""))
