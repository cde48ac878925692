"""The schedules of the deployed template, on the local system: nobody asks, and facts are filed."""

import time
from pathlib import Path
from typing import Any

import boto3

from infra.local.state import System
from tests.e2e.deployed import call, remembrancer

PATIENCE_S = 240


def test_a_schedule_that_fires_files_what_waits(home: Path) -> None:
    remembrancer(home, "up", "--detach")
    made = remembrancer(home, "token", "create", "--space", "kept", "--json")
    fact = {"content": "The bakery in Quay Street opens at seven. [[bakery]]"}
    [entry] = call("POST", f"{made['url']}/v1/memory/remember", made["token"], fact)["entries"]
    scheduler = boto3.client(
        "scheduler",
        endpoint_url=System.load(home).endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    [name] = [found["Name"] for found in scheduler.list_schedules()["Schedules"] if "nightly" in found["Name"]]
    target = scheduler.get_schedule(Name=name)["Target"]
    scheduler.update_schedule(
        Name=name, Target=target, ScheduleExpression="rate(1 minutes)", FlexibleTimeWindow={"Mode": "OFF"}
    )
    end = time.monotonic() + PATIENCE_S
    while (last := status(made)["last_run"] or {}).get("status") != "progress":
        assert time.monotonic() < end, last
        time.sleep(2)
    assert status(made)["pending"]["entries"] == 0
    [run] = [r for r in call("GET", f"{made['url']}/v1/consolidation/runs", made["token"])["items"] if r["filed"]]
    assert (run["trigger"], run["filed"]) == ("nightly", 1)
    page = call("GET", f"{made['url']}/v1/memory/pages/bakery", made["token"])
    assert f"^{entry['id']}" in page["body"]


def status(made: dict[str, str]) -> dict[str, Any]:
    return dict(call("GET", f"{made['url']}/v1/consolidation/status", made["token"]))
