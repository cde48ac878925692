import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.options import read
from tests.infrastructure.conftest import LOCAL, Template, made, of_type

ROOT = Path(__file__).parents[2]
NAMES = re.compile(r"(Name|GroupName|Alias\w*|.*Name)$")
SHARED = {"$default", "by_kind", "by_session"}


def _names(value: Any) -> Iterator[str]:
    """Every physical name in a resource's own properties."""
    for key, inner in value.items():
        if NAMES.fullmatch(key):
            yield json.dumps(inner)


def _physical(template: Template) -> set[str]:
    found = {name for r in template["Resources"].values() for name in _names(r.get("Properties", {}))}
    return {name for name in found if '"Ref"' not in name or "remembrancer" in name} - {'"$default"'}


def test_two_tenants_share_no_name(assembly: dict[str, Template]) -> None:
    acme, globex = _physical(assembly["remembrancer-acme"]), _physical(assembly["remembrancer-globex"])
    named = {name for name in acme if "remembrancer-acme" in name}
    assert len(named) > 50
    assert not {name for name in named if name in globex}
    # what has no tenant in its name is the name of an inline policy, inside its own role
    assert all("DefaultPolicy" in name for name in acme - named)


def test_a_tenant_says_nothing_of_another(assembly: dict[str, Template]) -> None:
    assert "globex" not in json.dumps(assembly["remembrancer-acme"])


def test_the_same_sources_make_the_same_template(
    assembly: dict[str, Template], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert made(tmp_path_factory, tenants="acme,globex") == {
        name: assembly[name] for name in ("remembrancer-acme", "remembrancer-globex")
    }


def test_the_local_variant_needs_nothing_that_an_emulator_lacks(laptop: Template) -> None:
    kinds = {resource["Type"] for resource in laptop["Resources"].values()}
    assert not kinds & {
        "AWS::OpenSearchService::Domain",
        "AWS::CloudWatch::CompositeAlarm",
        "AWS::Lambda::LayerVersion",
        "AWS::CloudFormation::CustomResource",
    }
    assert not [kind for kind in kinds if kind.startswith("Custom::")]
    for kind in ("AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::KMS::Key"):
        assert {r["DeletionPolicy"] for r in of_type(laptop, kind).values()} == {"Delete"}


def test_the_local_variant_is_otherwise_the_same(acme: Template, laptop: Template) -> None:
    def kinds(template: Template) -> dict[str, int]:
        found = [resource["Type"] for resource in template["Resources"].values()]
        return {kind: found.count(kind) for kind in found}

    gone = ("AWS::OpenSearchService::Domain", "AWS::Lambda::LayerVersion", "AWS::CloudWatch::Alarm")
    full = {kind: count for kind, count in kinds(acme).items() if kind not in gone}
    assert {kind: count for kind, count in kinds(laptop).items() if kind not in gone} == full


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({}, "name a tenant"),
        ({"tenant": "Acme"}, "tenant 'Acme'"),
        ({"tenant": "acme-eu"}, "tenant 'acme-eu'"),
        ({"tenant": "acmeacmeacmeacme"}, "2 to 15"),
        ({"tenants": "acme,acme"}, "twice"),
        ({"tenant": "acme", "colour": "blue"}, "no such option: colour"),
        ({"tenant": "acme", "search": "somewhere"}, "search 'somewhere'"),
        ({"tenant": "acme", "local": "true"}, "no domain"),
        ({"tenant": "acme", "search_zones": "3"}, "search_zones"),
        ({"tenant": "acme", "log_days": "8"}, "log_days"),
        ({"tenant": "acme", "zone": "Mars/Olympus"}, "Mars/Olympus"),
    ],
)
def test_a_bad_option_is_refused_by_name(context: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(context)


def test_context_of_the_cdk_itself_is_no_option() -> None:
    (options,) = read({"tenant": "acme", "aws:cdk:enable-path-metadata": True, "@aws-cdk/core:x": True})
    assert options.tenant == "acme"


def test_the_command_line_writes_one_template_a_tenant(tmp_path: Path) -> None:
    pairs = [part for key, value in LOCAL.items() for part in ("-c", f"{key}={value}")]
    command = [sys.executable, "-m", "infra.app", "--out", str(tmp_path), *pairs]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env={**os.environ})
    assert [path.name for path in tmp_path.glob("*.template.json")] == ["remembrancer-laptop.template.json"]
