import json
import re
from typing import Any

import pytest

from infra.routes import ROUTES
from tests.infrastructure.conftest import LOCAL, Template, made, of_type, one

LOG_DELIVERY = re.compile(r"logs:\w*(LogDeliver(y|ies)|ResourcePolic(y|ies)|DescribeLogGroups)")
KEPT = ("AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::OpenSearchService::Domain")


def _text(value: Any) -> str:
    """A value with intrinsic functions as one line."""
    return json.dumps(value, sort_keys=True)


def _statements(template: Template) -> list[dict[str, Any]]:
    policies = of_type(template, "AWS::IAM::Policy").values()
    return [statement for policy in policies for statement in policy["Properties"]["PolicyDocument"]["Statement"]]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _table(template: Template, name: str) -> Any:
    tables = of_type(template, "AWS::DynamoDB::Table").values()
    (found,) = [t for t in tables if t["Properties"]["TableName"].endswith(f"-{name}")]
    return found["Properties"]


def _schema(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": n, "KeyType": k} for n, k in zip(names, ("HASH", "RANGE"), strict=True)]


def _functions(template: Template) -> dict[str, Any]:
    found = of_type(template, "AWS::Lambda::Function").values()
    return {r["Properties"]["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"]: r["Properties"] for r in found}


# ---------------------------------------------------------------- storage


def test_the_memory_table_forgets_nothing_by_itself(acme: Template) -> None:
    assert "TimeToLiveSpecification" not in _table(acme, "memory")


def test_the_memory_table_has_its_keys_indexes_and_stream(acme: Template) -> None:
    table = _table(acme, "memory")
    assert table["KeySchema"] == _schema("pk", "sk")
    indexes = {index["IndexName"]: index for index in table["GlobalSecondaryIndexes"]}
    assert indexes["by_kind"]["KeySchema"] == _schema("gk", "ts")
    assert indexes["by_session"]["KeySchema"] == _schema("gs", "sk")
    assert indexes["by_change"]["KeySchema"] == _schema("gc", "changed")
    held = {name: index["Projection"]["ProjectionType"] for name, index in indexes.items()}
    assert held == {"by_kind": "ALL", "by_session": "ALL", "by_change": "KEYS_ONLY"}
    assert table["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"


def test_items_of_the_expiring_table_end_at_expires_at(acme: Template) -> None:
    table = _table(acme, "expiring")
    assert table["KeySchema"] == _schema("pk", "sk")
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}


@pytest.mark.parametrize("name", ["memory", "expiring"])
def test_tables_are_encrypted_by_the_tenant_and_can_be_restored(acme: Template, name: str) -> None:
    table = _table(acme, name)
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["DeletionProtectionEnabled"] is True
    assert table["SSESpecification"]["SSEType"] == "KMS"
    assert "StorageKey" in _text(table["SSESpecification"]["KMSMasterKeyId"])


def test_the_bucket_keeps_versions_and_is_closed(acme: Template) -> None:
    bucket = one(acme, "AWS::S3::Bucket")["Properties"]
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    (rule,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "aws:kms"
    assert "StorageKey" in _text(rule["ServerSideEncryptionByDefault"]["KMSMasterKeyID"])
    assert bucket["NotificationConfiguration"] == {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}
    (lifecycle,) = bucket["LifecycleConfiguration"]["Rules"]
    assert lifecycle["NoncurrentVersionExpiration"] == {"NoncurrentDays": 90}
    assert "ExpirationInDays" not in lifecycle


def test_the_bucket_refuses_calls_without_tls(acme: Template) -> None:
    policy = one(acme, "AWS::S3::BucketPolicy")["Properties"]["PolicyDocument"]["Statement"]
    plain = {"Bool": {"aws:SecureTransport": "false"}}
    assert any(s["Effect"] == "Deny" and s["Condition"] == plain and s["Action"] == "s3:*" for s in policy)


def test_the_tenant_key_rotates(acme: Template) -> None:
    assert one(acme, "AWS::KMS::Key")["Properties"]["EnableKeyRotation"] is True


@pytest.mark.parametrize("kind", KEPT)
def test_what_holds_memory_outlives_the_stack(acme: Template, kind: str) -> None:
    for resource in of_type(acme, kind).values():
        assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("Retain", "Retain")


# ---------------------------------------------------------------- search


def test_the_domain_is_encrypted_and_answers_nobody_else(acme: Template) -> None:
    domain = one(acme, "AWS::OpenSearchService::Domain")["Properties"]
    assert domain["EngineVersion"] == "OpenSearch_2.19"
    assert domain["NodeToNodeEncryptionOptions"] == {"Enabled": True}
    assert domain["EncryptionAtRestOptions"]["Enabled"] is True
    assert domain["DomainEndpointOptions"]["EnforceHTTPS"] is True
    (statement,) = domain["AccessPolicies"]["Statement"]
    assert '"*"' not in _text(statement["Principal"])
    assert "AWS::AccountId" in _text(statement["Principal"])


def test_functions_that_only_search_may_not_write_documents(acme: Template) -> None:
    policies = of_type(acme, "AWS::IAM::Policy")
    (recall,) = [p for name, p in policies.items() if name.startswith("FunctionsRecallRole")]
    posted = [
        resource
        for statement in recall["Properties"]["PolicyDocument"]["Statement"]
        if "es:ESHttpPost" in _listed(statement["Action"])
        for resource in _listed(statement["Resource"])
    ]
    assert sorted(_text(resource).split("/")[-1].rstrip('"]}') for resource in posted) == [
        "_count",
        "_msearch",
        "_search",
    ]


def test_an_index_from_elsewhere_has_names_of_the_tenant(tmp_path_factory: pytest.TempPathFactory) -> None:
    url = "https://search.example.org"
    template = made(tmp_path_factory, tenant="acme", search=url)["remembrancer-acme"]
    assert not of_type(template, "AWS::OpenSearchService::Domain")
    variables = _functions(template)["recall"]["Environment"]["Variables"]
    assert variables["REMEMBRANCER_SEARCH"] == f"{url}?prefix=remembrancer-acme"


# ---------------------------------------------------------------- functions and rights


def test_functions_run_on_arm_with_traces_and_logs_that_end(acme: Template) -> None:
    groups = of_type(acme, "AWS::Logs::LogGroup")
    for name, function in _functions(acme).items():
        assert function["Runtime"] == "python3.13", name
        assert function["Architectures"] == ["arm64"], name
        assert function["Handler"] == "handler.handler", name
        assert function["TracingConfig"] == {"Mode": "Active"}, name
        assert groups[function["LoggingConfig"]["LogGroup"]["Ref"]]["Properties"]["RetentionInDays"] == 30


def test_every_function_has_a_role_of_its_own_with_inline_rights_only(acme: Template) -> None:
    roles = [_text(function["Role"]) for function in _functions(acme).values()]
    assert len(set(roles)) == len(roles)
    for role in of_type(acme, "AWS::IAM::Role").values():
        assert "ManagedPolicyArns" not in role["Properties"]


def test_only_traces_and_log_delivery_name_no_resource(acme: Template) -> None:
    for statement in _statements(acme):
        if "*" in _listed(statement["Resource"]):
            actions = _listed(statement["Action"])
            assert not [a for a in actions if not (a.startswith("xray:") or LOG_DELIVERY.fullmatch(a))]


def test_no_right_has_a_wildcard_for_actions(acme: Template) -> None:
    assert not [action for s in _statements(acme) for action in _listed(s["Action"]) if "*" in action]


def test_items_are_reached_by_partition_only_and_never_scanned(acme: Template) -> None:
    streams = {
        "dynamodb:DescribeStream",
        "dynamodb:GetRecords",
        "dynamodb:GetShardIterator",
        "dynamodb:ListStreams",
    }
    seen = set()
    for statement in _statements(acme):
        actions = {action for action in _listed(statement["Action"]) if action.startswith("dynamodb:")}
        if actions and not actions <= streams:
            assert "dynamodb:Scan" not in actions
            seen.update(statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"])
    assert seen == {"S#*", "SPACES", "TOKENS", "X#*", "Q#*", "IDEMPOTENCY"}


def test_the_key_is_used_through_its_services_only(acme: Template) -> None:
    uses = [s for s in _statements(acme) if any(a.startswith("kms:") for a in _listed(s["Action"]))]
    assert uses
    assert all("kms:ViaService" in s["Condition"]["StringEquals"] for s in uses)


def test_functions_that_use_the_model_get_its_layer(acme: Template) -> None:
    layers = {name: len(function["Layers"]) for name, function in _functions(acme).items()}
    assert {name for name, count in layers.items() if count == 3} == {
        "file",
        "health",
        "index_entries",
        "index_pages",
        "inject",
        "maintain",
        "pages",
        "plan",
        "recall",
        "stats",
    }
    assert set(layers.values()) == {2, 3}


# ---------------------------------------------------------------- the API


def test_the_deployed_routes_are_the_list_of_routes(acme: Template) -> None:
    integrations = of_type(acme, "AWS::ApiGatewayV2::Integration")
    functions = of_type(acme, "AWS::Lambda::Function")
    found = set()
    for route in of_type(acme, "AWS::ApiGatewayV2::Route").values():
        target = integrations[route["Properties"]["Target"]["Fn::Join"][1][1]["Ref"]]
        named = target["Properties"]["IntegrationUri"]["Fn::GetAtt"][0]
        variables = functions[named]["Properties"]["Environment"]["Variables"]
        found.add((route["Properties"]["RouteKey"], variables["POWERTOOLS_SERVICE_NAME"]))
    assert found == {(_key(route.method, route.path), route.function) for route in ROUTES}


def _key(method: str, path: str) -> str:
    return path if path == "$default" else f"{method} {path}"


def test_ingest_cannot_starve_inject(acme: Template) -> None:
    settings = one(acme, "AWS::ApiGatewayV2::Stage")["Properties"]["RouteSettings"]
    inject, ingest = settings["POST /v1/memory/inject"], settings["POST /v1/memory/ingest"]
    assert ingest["ThrottlingRateLimit"] * 10 <= inject["ThrottlingRateLimit"]
    assert ingest["ThrottlingBurstLimit"] * 10 <= inject["ThrottlingBurstLimit"]


def test_limits_are_set_after_the_routes_that_they_name(acme: Template) -> None:
    stage = one(acme, "AWS::ApiGatewayV2::Stage")
    routes = of_type(acme, "AWS::ApiGatewayV2::Route")
    assert set(routes) <= set(stage["DependsOn"])
    keys = {route["Properties"]["RouteKey"] for route in routes.values()}
    assert set(stage["Properties"]["RouteSettings"]) <= keys


def test_access_logs_hold_neither_paths_nor_bodies(acme: Template) -> None:
    line = json.loads(one(acme, "AWS::ApiGatewayV2::Stage")["Properties"]["AccessLogSettings"]["Format"])
    assert not [v for v in line.values() if re.search(r"path|body|authorizer|requestOverride", v, re.IGNORECASE)]


def test_browsers_of_other_origins_stay_out(acme: Template) -> None:
    assert "CorsConfiguration" not in one(acme, "AWS::ApiGatewayV2::Api")["Properties"]


# ---------------------------------------------------------------- events


def test_bucket_events_of_pages_go_through_a_queue_with_an_end(acme: Template) -> None:
    rules = [r["Properties"] for r in of_type(acme, "AWS::Events::Rule").values()]
    (rule,) = [r for r in rules if r["EventPattern"]["source"] == ["aws.s3"]]
    assert rule["EventPattern"]["detail-type"] == ["Object Created", "Object Deleted"]
    assert rule["EventPattern"]["detail"]["object"]["key"] == [{"wildcard": "spaces/*/concepts/*"}]
    queues = of_type(acme, "AWS::SQS::Queue")
    queue = queues[rule["Targets"][0]["Arn"]["Fn::GetAtt"][0]]["Properties"]
    assert queue["RedrivePolicy"]["maxReceiveCount"] == 5
    function = _functions(acme)["index_pages"]
    assert queue["VisibilityTimeout"] >= 6 * function["Timeout"]


def test_a_bad_message_fails_alone(acme: Template) -> None:
    mappings = [m["Properties"] for m in of_type(acme, "AWS::Lambda::EventSourceMapping").values()]
    (queued,) = [m for m in mappings if "StartingPosition" not in m]
    (streamed,) = [m for m in mappings if "StartingPosition" in m]
    assert queued["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert streamed["BisectBatchOnFunctionError"] is True
    assert streamed["MaximumBatchingWindowInSeconds"] == 1
    assert "OnFailure" in streamed["DestinationConfig"]
    pattern = json.loads(streamed["FilterCriteria"]["Filters"][0]["Pattern"])
    assert pattern["dynamodb"]["Keys"]["pk"]["S"] == [{"suffix": "#BUFFER"}, {"suffix": "#ENTRIES"}]


def test_schedules_run_in_the_zone_of_the_tenant(tmp_path_factory: pytest.TempPathFactory) -> None:
    template = made(tmp_path_factory, **LOCAL, zone="Asia/Kathmandu")["remembrancer-laptop"]
    schedules = {
        s["Properties"]["Name"]: s["Properties"] for s in of_type(template, "AWS::Scheduler::Schedule").values()
    }
    nightly, interval = schedules["remembrancer-laptop-nightly"], schedules["remembrancer-laptop-interval"]
    assert nightly["ScheduleExpression"] == "cron(0 3 * * ? *)"
    assert nightly["ScheduleExpressionTimezone"] == "Asia/Kathmandu"
    assert json.loads(nightly["Target"]["Input"]) == {"trigger": "nightly"}
    assert json.loads(interval["Target"]["Input"]) == {"trigger": "interval"}
    upkeep = schedules["remembrancer-laptop-upkeep"]
    assert (upkeep["ScheduleExpression"], upkeep["Target"]["Input"]) == (
        "cron(10 1/6 * * ? *)",
        '{"trigger": "upkeep"}',
    )
    assert all("DeadLetterConfig" in s["Target"] for s in schedules.values())
    variables = _functions(template)["due"]["Environment"]["Variables"]
    assert variables["REMEMBRANCER_TENANT_ZONE"] == "Asia/Kathmandu"


def test_a_full_buffer_asks_due_with_its_space(acme: Template) -> None:
    rules = [r["Properties"] for r in of_type(acme, "AWS::Events::Rule").values()]
    (rule,) = [r for r in rules if r["EventPattern"]["source"] == ["remembrancer"]]
    assert rule["EventPattern"]["detail-type"] == ["BufferFull"]
    assert '"trigger":"size"' in rule["Targets"][0]["InputTransformer"]["InputTemplate"]
    assert rule["Targets"][0]["InputTransformer"]["InputPathsMap"] == {"detail-space": "$.detail.space"}


def test_every_queue_of_lost_events_has_an_alarm(acme: Template) -> None:
    queues = of_type(acme, "AWS::SQS::Queue")
    lost = {name for name, q in queues.items() if q["Properties"]["QueueName"].endswith("-lost")}
    alarms = _text([a["Properties"] for a in of_type(acme, "AWS::CloudWatch::Alarm").values()])
    assert len(lost) == 3
    assert all(name in alarms for name in lost)
    assert all(q["Properties"]["SqsManagedSseEnabled"] is True for q in queues.values())


def test_an_alarm_on_our_own_metrics_hears_its_own_tenant_only(assembly: dict[str, Template]) -> None:
    for tenant in ("acme", "globex"):
        alarms = of_type(assembly[f"remembrancer-{tenant}"], "AWS::CloudWatch::Alarm").values()
        ours = [a["Properties"] for a in alarms if a["Properties"].get("Namespace") == "Remembrancer"]
        assert {"run.deletion_budget", "pages.drift"} <= {alarm["MetricName"] for alarm in ours}
        assert all({"Name": "tenant", "Value": tenant} in alarm["Dimensions"] for alarm in ours)


def test_alarms_go_to_the_topic_that_is_named(tmp_path_factory: pytest.TempPathFactory) -> None:
    topic = "arn:aws:sns:eu-central-1:123456789012:oncall"
    template = made(tmp_path_factory, **LOCAL, alarm_topic=topic)["remembrancer-laptop"]
    alarms = of_type(template, "AWS::CloudWatch::Alarm").values()
    assert alarms
    assert all(alarm["Properties"]["AlarmActions"] == [topic] for alarm in alarms)
