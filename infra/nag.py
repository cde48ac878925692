"""AwsSolutions rules that do not hold here, each with its reason. Everything else must."""

from aws_cdk import Acknowledgment, App, Stack, Validations
from cdk_nag import AwsSolutionsChecks

REASONS = {
    "APIG4": "The functions check the bearer token themselves: an HTTP API's authorizer cannot answer with the "
    "service's error body. Health, the API document and unknown paths are open.",
    "IAM5[Resource::*]": "X-Ray has no resources to name, and neither has the delivery of a state machine's logs.",
    "IAM5[Resource::<StoragePages2B0B5787.Arn>/spaces/*]": "All spaces of the tenant lie below this prefix.",
    **{
        f"IAM5[Resource::arn:<AWS::Partition>:es:<AWS::Region>:<AWS::AccountId>:domain/{{stack}}/*{path}]": (
            "The paths of the tenant's own domain; names of indexes change with the model."
        )
        for path in ("", "/_count", "/_msearch", "/_search")
    },
    "IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:{stack}-consolidate:*]": (
        "Executions are named by run ids, which are not known before."
    ),
    "L1": "Python 3.13 is what the wheels of the layers are built for; it moves together with them.",
    "OS1": "The functions run in no VPC; the domain answers signed calls of this account only, over TLS.",
    "OS3": "Lambda has no fixed addresses; the domain answers signed calls of this account only.",
    "OS4": "The index is a projection that is rebuilt from the bucket: dedicated masters would cost more than it.",
    "OS7": "One zone is the small default, since the index can be rebuilt; -c search_zones=2 for two.",
    "OS9[LogExport::INDEX_SLOW_LOGS]": "Slow logs hold documents, and no log may hold memory text.",
    "OS9[LogExport::SEARCH_SLOW_LOGS]": "Slow logs hold queries, and no log may hold memory text.",
    "S1": "The bucket is reached by the functions of this stack only, which log every request themselves; "
    "access logs would copy the names of pages into another bucket.",
    "SF1": "Errors are logged, without data. Every run has a record of its own with all its steps.",
    "SQS3": "This queue is itself where lost events go.",
}


def check(app: App) -> None:
    """Have every stack of the app held against the rules; a finding ends the synth."""
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))


def acknowledge(stack: Stack) -> None:
    """Say why the rules of `REASONS` do not hold in this stack."""
    for rule, reason in REASONS.items():
        id = f"AwsSolutions::AwsSolutions-{rule.replace('{stack}', stack.stack_name)}"
        Validations.of(stack).acknowledge(Acknowledgment(id=id, reason=reason))
