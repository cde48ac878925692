"""The synthesized template, made fit for this machine. Only what must differ does.

Functions become `provided.al2023` with a bootstrap that starts Lambda's own runtime client under the project's
interpreter, in the function's folder of the checkout: the code that runs is the code on disk, without a new synth.
The bootstrap's key names the hash of that code, so that changed code is a changed function with new processes.
"""

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

from infra.local.state import ROOT

Template = dict[str, Any]
GONE = {"AWS::Lambda::LayerVersion", "AWS::Lambda::LayerVersionPermission", "AWS::CDK::Metadata"}
PACKAGES = ROOT / "layers" / "remembrancer" / "python"
BUCKET = "local-bootstrap"


def local(template: Template, variables: dict[str, str], python: str) -> tuple[Template, dict[str, bytes]]:
    """The template to deploy, and the zips that it names by key. `variables` overrule those of every function."""
    zips: dict[str, bytes] = {}
    resources = {}
    version = code_hash()
    for name, resource in template["Resources"].items():
        if resource["Type"] in GONE or _metric_math(resource):
            continue
        if resource["Type"] == "AWS::Lambda::Function":
            folder = _folder(name, resource)
            key = f"{folder}-{version}.zip"
            zips[key] = bootstrap(ROOT / "functions" / folder, python)
            resource = _function(resource, key, variables)
        resources[name] = resource
    kept = {key: value for key, value in template.items() if key not in ("Parameters", "Rules", "Resources")}
    parameters = {k: v for k, v in template.get("Parameters", {}).items() if k != "BootstrapVersion"}
    return {**kept, **({"Parameters": parameters} if parameters else {}), "Resources": resources}, zips


def _metric_math(resource: dict[str, Any]) -> bool:
    """Alarms over several metrics: the emulator refuses a template with one."""
    return resource["Type"] == "AWS::CloudWatch::Alarm" and "Metrics" in resource["Properties"]


def _folder(name: str, resource: dict[str, Any]) -> str:
    """The folder below functions/ of a function resource."""
    variables = resource["Properties"].get("Environment", {}).get("Variables", {})
    folder = str(variables.get("POWERTOOLS_SERVICE_NAME", ""))
    if not (ROOT / "functions" / folder / "handler.py").is_file():
        raise SystemExit(f"{name}: POWERTOOLS_SERVICE_NAME '{folder}' is no folder of functions/")
    return folder


def _function(resource: dict[str, Any], key: str, variables: dict[str, str]) -> dict[str, Any]:
    properties = {
        k: v
        for k, v in resource["Properties"].items()
        if k not in ("Architectures", "Layers", "TracingConfig", "VpcConfig", "KmsKeyArn", "LoggingConfig")
    }
    set_there = properties.get("Environment", {}).get("Variables", {})
    properties |= {
        "Runtime": "provided.al2023",
        "Handler": "handler.handler",
        "Code": {"S3Bucket": BUCKET, "S3Key": key},
        "Environment": {"Variables": {**set_there, **variables}},
    }
    return {**resource, "Properties": properties, "Metadata": {}}


def code_hash() -> str:
    """Hash of all code that functions run."""
    whole = hashlib.sha256()
    for top in (ROOT / "functions", PACKAGES):
        for path in sorted(p for p in top.rglob("*") if p.is_file() and p.suffix in (".py", ".json")):
            whole.update(f"{path}\0".encode() + path.read_bytes())
    return whole.hexdigest()[:16]


def bootstrap(folder: Path, python: str) -> bytes:
    """A zip with the start script of the function whose `handler.py` is in `folder`."""
    script = "\n".join(
        [
            "#!/bin/sh",
            f"cd {_quoted(folder)}",
            f"export LAMBDA_TASK_ROOT={_quoted(folder)}",
            f"export PYTHONPATH={_quoted(folder)}:{_quoted(PACKAGES)}",
            "export AWS_EXECUTION_ENV=AWS_Lambda_python3.13",
            f"exec {_quoted(Path(python))} -m awslambdaric handler.handler",
            "",
        ]
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("bootstrap")  # a fixed date: the same script gives the same zip
        info.external_attr = 0o755 << 16
        archive.writestr(info, script)
    return out.getvalue()


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "'\\''") + "'"


def as_text(template: Template) -> str:
    """The template as it is sent and hashed."""
    return json.dumps(template, sort_keys=True)
