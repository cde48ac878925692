"""The local system: what was acknowledged is there after it was killed, and the demo holds."""

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local import emulator, process
from infra.local.deploy import client, deploy, outputs
from infra.local.state import System
from infra.local.template import as_text, bootstrap, local
from tests.e2e.deployed import call, crash, remembrancer

TABLE = {
    "TableName": "kept",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}


@pytest.fixture
def system(tmp_path: Path) -> Iterator[System]:
    made = System(tmp_path / "home", port=process.free_port(0), api_port=process.free_port(0))
    emulator.start(made)
    yield made
    emulator.stop(made)


def table(system: System) -> Any:
    db = client("dynamodb", system.endpoint)
    db.create_table(**TABLE)
    emulator.save(system)
    return db


def items(system: System) -> dict[str, str]:
    found = client("dynamodb", system.endpoint).scan(TableName="kept", ConsistentRead=True)["Items"]
    return {item["pk"]["S"]: item.get("n", {}).get("N", "") for item in found}


def test_item_changes_survive_kill_9(system: System) -> None:
    db = table(system)
    for n in range(50):
        db.put_item(TableName="kept", Item={"pk": {"S": f"p{n}"}, "n": {"N": str(n)}})
    add = {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
    db.update_item(TableName="kept", Key={"pk": {"S": "p7"}}, **add)
    db.delete_item(TableName="kept", Key={"pk": {"S": "p8"}})
    db.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": "kept", "Item": {"pk": {"S": "t1"}}}},
            {"Delete": {"TableName": "kept", "Key": {"pk": {"S": "p9"}}}},
        ]
    )
    before = items(system)
    crash(system)
    emulator.start(system)
    assert items(system) == before
    assert (before["p7"], before["t1"], "p8" in before, "p9" in before) == ("8", "", False, False)


def test_changes_before_and_after_a_snapshot_are_both_there_after_two_crashes(system: System) -> None:
    db = table(system)
    db.put_item(TableName="kept", Item={"pk": {"S": "early"}})
    emulator.save(system)
    db.put_item(TableName="kept", Item={"pk": {"S": "late"}})
    crash(system)
    emulator.start(system)
    client("dynamodb", system.endpoint).put_item(TableName="kept", Item={"pk": {"S": "later"}})
    crash(system)
    emulator.start(system)
    assert set(items(system)) == {"early", "late", "later"}


def test_a_line_that_was_cut_short_is_left_out(system: System) -> None:
    db = table(system)
    db.put_item(TableName="kept", Item={"pk": {"S": "whole"}})
    crash(system)
    newest = max((system.home / "state" / "journal").glob("items.*.jsonl"), key=lambda p: p.stat().st_mtime)
    newest.write_bytes(newest.read_bytes() + newest.read_bytes().replace(b"whole", b"torn!")[:-5])
    emulator.start(system)
    assert set(items(system)) == {"whole"}


def test_an_orderly_stop_leaves_no_journal_and_keeps_everything(system: System) -> None:
    db = table(system)
    db.put_item(TableName="kept", Item={"pk": {"S": "a"}})
    assert emulator.stop(system)
    assert list((system.home / "state" / "journal").iterdir()) == []
    emulator.start(system)
    assert set(items(system)) == {"a"}


def test_objects_and_their_versions_survive_kill_9(system: System) -> None:
    s3 = client("s3", system.endpoint)
    s3.create_bucket(Bucket="kept")
    s3.put_bucket_versioning(Bucket="kept", VersioningConfiguration={"Status": "Enabled"})
    emulator.save(system)
    first = s3.put_object(Bucket="kept", Key="a/b.md", Body=b"one")["VersionId"]
    s3.put_object(Bucket="kept", Key="a/b.md", Body=b"two")
    s3.put_object(Bucket="kept", Key="gone.md", Body=b"x")
    s3.delete_object(Bucket="kept", Key="gone.md")
    crash(system)
    emulator.start(system)
    assert s3.get_object(Bucket="kept", Key="a/b.md")["Body"].read() == b"two"
    assert s3.get_object(Bucket="kept", Key="a/b.md", VersionId=first)["Body"].read() == b"one"
    assert [o["Key"] for o in s3.list_objects_v2(Bucket="kept")["Contents"]] == ["a/b.md"]


STREAMED: dict[str, Any] = {
    "Kept": {
        "Type": "AWS::DynamoDB::GlobalTable",
        "Properties": {
            **TABLE,
            "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
            "Replicas": [{"Region": {"Ref": "AWS::Region"}}],
        },
    },
    "Health": {
        "Type": "AWS::Lambda::Function",
        "Properties": {
            "FunctionName": "local-health",
            "Role": "arn:aws:iam::000000000000:role/any",
            "Code": {"S3Bucket": "any", "S3Key": "any"},
            "Runtime": "python3.13",
            "Handler": "handler.handler",
            "Timeout": 30,
            "Environment": {"Variables": {"POWERTOOLS_SERVICE_NAME": "health"}},
        },
    },
    "Api": {"Type": "AWS::ApiGatewayV2::Api", "Properties": {"Name": "local", "ProtocolType": "HTTP"}},
    "Stage": {
        "Type": "AWS::ApiGatewayV2::Stage",
        "Properties": {"ApiId": {"Ref": "Api"}, "StageName": "$default", "AutoDeploy": True},
    },
    "Integration": {
        "Type": "AWS::ApiGatewayV2::Integration",
        "Properties": {
            "ApiId": {"Ref": "Api"},
            "IntegrationType": "AWS_PROXY",
            "IntegrationUri": {"Fn::GetAtt": ["Health", "Arn"]},
            "PayloadFormatVersion": "2.0",
        },
    },
    "Route": {
        "Type": "AWS::ApiGatewayV2::Route",
        "Properties": {
            "ApiId": {"Ref": "Api"},
            "RouteKey": "$default",
            "Target": {"Fn::Join": ["", ["integrations/", {"Ref": "Integration"}]]},
        },
    },
    "Layer": {"Type": "AWS::Lambda::LayerVersion", "Properties": {"Content": {}}},
}


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=30) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_a_deployed_function_answers_on_the_api_port_and_does_so_after_kill_9(system: System) -> None:
    assert status(f"{system.url}/v1/nowhere") == 503
    raw = {"Resources": STREAMED, "Outputs": {"Id": {"Value": {"Ref": "Api"}}}}
    template, zips = local(raw, {"REMEMBRANCER_TENANT": "local"}, sys.executable)
    assert "Layer" not in template["Resources"]
    made = deploy(system.endpoint, as_text(template), zips)
    emulator.save(system)
    assert status(f"{system.url}/v1/nowhere") == 404
    crash(system)
    emulator.start(system)
    assert outputs(system.endpoint) == made
    assert status(f"{system.url}/v1/nowhere") == 404
    assert deploy(system.endpoint, as_text(template), zips) == made


RECORDER = """
import pathlib
def handler(event, context):
    with pathlib.Path(__file__).with_name("seen").open("a") as seen:
        seen.writelines(record["dynamodb"]["Keys"]["pk"]["S"] + "\\n" for record in event["Records"])
"""


def recorded(folder: Path, wanted: set[str]) -> set[str]:
    """What the recorder has seen, as soon as that is all of `wanted`, else after a while."""
    seen: set[str] = set()
    end = time.monotonic() + 20
    while not wanted <= seen and time.monotonic() < end:
        time.sleep(0.1)
        seen = set((folder / "seen").read_text().split()) if (folder / "seen").exists() else set()
    return seen


def test_stream_records_reach_their_function_after_a_stop_and_after_kill_9(system: System, tmp_path: Path) -> None:
    (tmp_path / "handler.py").write_text(RECORDER)
    mapping = {
        "EventSourceArn": {"Fn::GetAtt": ["Kept", "StreamArn"]},
        "FunctionName": {"Ref": "Health"},
        "StartingPosition": "TRIM_HORIZON",
    }
    raw = {
        "Resources": {**STREAMED, "Mapping": {"Type": "AWS::Lambda::EventSourceMapping", "Properties": mapping}}
    }
    template, zips = local(raw, {}, sys.executable)
    deploy(system.endpoint, as_text(template), dict.fromkeys(zips, bootstrap(tmp_path, sys.executable)))
    emulator.save(system)

    def put(key: str) -> None:
        client("dynamodb", system.endpoint).put_item(TableName="kept", Item={"pk": {"S": key}})

    put("one")
    assert recorded(tmp_path, {"one"}) == {"one"}
    assert emulator.stop(system)
    emulator.start(system)
    put("two")
    assert recorded(tmp_path, {"two"}) == {"one", "two"}
    for key in ("three", "four", "five"):
        put(key)
    crash(system)
    emulator.start(system)
    assert recorded(tmp_path, {"three", "four", "five"}) == {"one", "two", "three", "four", "five"}


def test_the_state_file_is_for_its_owner_only(tmp_path: Path) -> None:
    system = System(tmp_path, port=1, token="rmb_a_b")
    system.save()
    assert (tmp_path / "system.json").stat().st_mode & 0o777 == 0o600
    assert System.load(tmp_path) == system


def test_a_process_of_another_program_is_not_taken_for_ours() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert process.alive(other.pid, "input()")
        assert not process.alive(other.pid, emulator.MODULE)
        assert process.stop(other.pid, emulator.MODULE)
        assert other.poll() is None
        other.terminate()


def test_the_demo_holds_and_the_deployed_system_survives_kill_9(home: Path) -> None:
    told = remembrancer(home, "demo", "--json")
    assert told["ok"], told["steps"]
    assert told["fact_in_inject_before_consolidation"]
    assert (told["pending_after"], told["bytes_changed_by_second_run"]) == (0, 0)
    assert told["page"]["line"].endswith(f"^{told['page']['entry']}")

    made = remembrancer(home, "token", "create", "--space", "kept", "--json")
    memory = f"{made['url']}/v1/memory"
    said = [f"shelf {n} holds box {n}" for n in range(20)]
    entries = [call("POST", f"{memory}/remember", made["token"], {"content": [text]})["entries"] for text in said]
    crash(System.load(home))
    again = remembrancer(home, "up", "--detach", "--json")
    assert again["url"] == made["url"]
    found = call("GET", f"{memory}/entries?status=pending", made["token"])["items"]
    assert {item["id"] for item in found} == {entry["id"] for (entry,) in entries}
    sent = {"session_id": "s", "turn_id": "1", "message": "Where is box 7?", "mode": "full"}
    assert said[7] in call("POST", f"{memory}/inject", made["token"], sent)["blocks"]["info"]
