import json
from pathlib import Path

import pytest
from aws_cdk import App, Stack
from aws_cdk.aws_s3 import Bucket

from infra import nag
from infra.app import main
from infra.options import read
from tests.infrastructure.conftest import LOCAL, Template, made, of_type

NAMES = {
    "AWS::ApiGatewayV2::Api": "Name",
    "AWS::CloudWatch::Alarm": "AlarmName",
    "AWS::CloudWatch::Dashboard": "DashboardName",
    "AWS::DynamoDB::Table": "TableName",
    "AWS::Events::EventBus": "Name",
    "AWS::Events::Rule": "Name",
    "AWS::KMS::Alias": "AliasName",
    "AWS::Lambda::Function": "FunctionName",
    "AWS::Lambda::LayerVersion": "LayerName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::OpenSearchService::Domain": "DomainName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::Scheduler::Schedule": "Name",
    "AWS::StepFunctions::StateMachine": "StateMachineName",
}
NAMELESS = {
    "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Route",
    "AWS::ApiGatewayV2::Stage",
    "AWS::IAM::Policy",
    "AWS::IAM::Role",
    "AWS::KMS::Key",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Lambda::Permission",
    "AWS::S3::BucketPolicy",
    "AWS::SQS::QueuePolicy",
}
"""They are part of something that has a name, or get one from CloudFormation."""


def _physical(template: Template) -> set[str]:
    named = [r for r in template["Resources"].values() if r["Type"] not in NAMELESS]
    return {json.dumps(r["Properties"][NAMES[r["Type"]]]) for r in named}


def test_two_tenants_share_no_name(assembly: dict[str, Template]) -> None:
    acme, globex = _physical(assembly["remembrancer-acme"]), _physical(assembly["remembrancer-globex"])
    assert len(acme) == len(globex) > 50
    assert all("remembrancer-acme" in name for name in acme)
    assert not acme & globex


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


def test_the_command_line_writes_one_template_a_tenant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [part for key, value in LOCAL.items() for part in ("-c", f"{key}={value}")]
    main(["--out", str(tmp_path), *pairs])
    assert [path.name for path in tmp_path.glob("*.template.json")] == ["remembrancer-laptop.template.json"]
    assert capsys.readouterr().out.strip() == str(tmp_path)


def test_the_command_line_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["-c", "tenant=acme", "-c", "colour=blue"])
    assert "no such option: colour" in capsys.readouterr().err


def test_a_function_without_code_is_named(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("infra.function.ROOT", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"functions/remember/handler\.py is missing"):
        made(tmp_path_factory, **LOCAL)


def test_a_finding_of_the_rules_ends_the_synth(tmp_path: Path) -> None:
    app = App(outdir=str(tmp_path))
    Bucket(Stack(app, "Careless"), "Open")
    nag.check(app)
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()
    assert "AwsSolutions-S1" in (tmp_path / "validation-report.json").read_text()


def test_the_rules_are_held_against_every_tenant(tmp_path_factory: pytest.TempPathFactory) -> None:
    assert all(len(reason) > 40 for reason in nag.REASONS.values())
    with pytest.MonkeyPatch.context() as patched:
        patched.delitem(nag.REASONS, "APIG4")
        with pytest.raises(RuntimeError, match="ValidationFailed"):
            made(tmp_path_factory, tenant="acme")
