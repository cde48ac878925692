"""A small deployer: create or update one stack on the emulator, and wait."""

import hashlib
import time
from typing import Any

import boto3

from infra.local.emulator import REGION
from infra.local.template import BUCKET

STACK = "remembrancer-local"
TEMPLATE = "template.json"


def client(service: str, endpoint: str) -> Any:
    """A client that talks to the emulator and nobody else."""
    return boto3.client(  # type: ignore[call-overload]
        service,
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def digest(template: str, zips: dict[str, bytes]) -> str:
    """One hash of all that is deployed."""
    whole = hashlib.sha256(template.encode())
    for key in sorted(zips):
        whole.update(key.encode() + zips[key])
    return whole.hexdigest()


def deploy(endpoint: str, template: str, zips: dict[str, bytes], *, seconds: float = 180) -> dict[str, str]:
    """Bring the stack to this template; its outputs. A stack that failed before is made anew."""
    s3, stacks = client("s3", endpoint), client("cloudformation", endpoint)
    s3.create_bucket(Bucket=BUCKET)
    for key, body in {**zips, TEMPLATE: template.encode()}.items():
        s3.put_object(Bucket=BUCKET, Key=key, Body=body)
    status = _status(stacks)
    if status in ("ROLLBACK_COMPLETE", "CREATE_FAILED", "ROLLBACK_FAILED", "CREATE_IN_PROGRESS", "DELETE_FAILED"):
        stacks.delete_stack(StackName=STACK)
        status = _settled(stacks, seconds)
    act = stacks.update_stack if status else stacks.create_stack
    where = f"{endpoint}/{BUCKET}/{TEMPLATE}"  # too long to be sent in the request
    try:
        act(StackName=STACK, TemplateURL=where, Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"])
    except stacks.exceptions.ClientError as error:
        if "No updates" not in str(error):
            raise
    status = _settled(stacks, seconds)
    if status not in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
        reasons = "; ".join(_reasons(stacks)) or "the emulator's log says why"
        raise SystemExit(f"the stack does not deploy ({status or 'gone'}): {reasons}")
    return outputs(endpoint)


def outputs(endpoint: str) -> dict[str, str]:
    """The stack's outputs; empty when there is no stack."""
    stacks = client("cloudformation", endpoint)
    if not _status(stacks):
        return {}
    found = stacks.describe_stacks(StackName=STACK)["Stacks"][0].get("Outputs", [])
    return {output["OutputKey"]: output["OutputValue"] for output in found}


def _status(stacks: Any) -> str:
    try:
        status = str(stacks.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"])
    except stacks.exceptions.ClientError as error:
        if "does not exist" not in str(error):
            raise
        return ""
    return "" if status == "DELETE_COMPLETE" else status


def _settled(stacks: Any, seconds: float) -> str:
    end = time.monotonic() + seconds
    while (status := _status(stacks)).endswith("IN_PROGRESS") and time.monotonic() < end:
        time.sleep(0.1)
    return status


def _reasons(stacks: Any) -> list[str]:
    events = stacks.describe_stack_events(StackName=STACK)["StackEvents"]
    failed = [event for event in events if event["ResourceStatus"].endswith("FAILED")]
    return [f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', '')}" for event in failed]
