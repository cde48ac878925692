"""The search domain of a tenant, or the index that is there already."""

from aws_cdk import ArnFormat, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_opensearchservice as opensearch
from constructs import Construct

from infra.function import Function
from infra.options import Options

ENGINE = "OpenSearch_2.19"
LOOK = ("es:ESHttpGet", "es:ESHttpHead")
CHANGE = (*LOOK, "es:ESHttpDelete", "es:ESHttpPost", "es:ESHttpPut")
QUERIES = ("_count", "_msearch", "_search")
"""What a function that only searches may post to."""


class Search(Construct):
    """`url` is what the functions get. The domain is kept when the stack goes."""

    def __init__(self, scope: Construct, id: str, options: Options, key: kms.Key) -> None:
        super().__init__(scope, id)
        self.domain = self._domain(options, key) if options.search == "domain" else None
        self.url = f"https://{self.domain.attr_domain_endpoint}" if self.domain else _shared(options)

    def _domain(self, options: Options, key: kms.Key) -> opensearch.CfnDomain:
        name = f"remembrancer-{options.tenant}"
        stack = Stack.of(self)
        self.arn = stack.format_arn(
            service="es", resource="domain", resource_name=name, arn_format=ArnFormat.SLASH_RESOURCE_NAME
        )
        # only callers of this account, each by rights of its own: nobody comes in unsigned
        ours = iam.PolicyStatement(
            principals=[iam.AccountRootPrincipal()],
            actions=["es:ESHttp*"],
            resources=[f"{self.arn}/*"],
        )
        # the resource itself: the construct above it sets the policy through a custom resource
        domain = opensearch.CfnDomain(
            self,
            "Domain",
            domain_name=name,
            engine_version=ENGINE,
            cluster_config=opensearch.CfnDomain.ClusterConfigProperty(
                instance_type=options.search_instance,
                instance_count=options.search_zones,
                zone_awareness_enabled=options.search_zones > 1,
                zone_awareness_config=opensearch.CfnDomain.ZoneAwarenessConfigProperty(availability_zone_count=2)
                if options.search_zones > 1
                else None,
            ),
            ebs_options=opensearch.CfnDomain.EBSOptionsProperty(
                ebs_enabled=True, volume_type="gp3", volume_size=options.search_storage_gb
            ),
            encryption_at_rest_options=opensearch.CfnDomain.EncryptionAtRestOptionsProperty(
                enabled=True, kms_key_id=key.key_id
            ),
            node_to_node_encryption_options=opensearch.CfnDomain.NodeToNodeEncryptionOptionsProperty(enabled=True),
            domain_endpoint_options=opensearch.CfnDomain.DomainEndpointOptionsProperty(
                enforce_https=True, tls_security_policy="Policy-Min-TLS-1-2-PFS-2023-10"
            ),
            access_policies=iam.PolicyDocument(statements=[ours]),
        )
        domain.apply_removal_policy(RemovalPolicy.RETAIN)
        return domain

    def grant(self, function: Function, right: str) -> None:
        """`search:read` or `search:write`, which is more. An index from elsewhere gives its rights itself."""
        if self.domain is None:
            return
        if right == "search:write":
            function.allow(CHANGE, f"{self.arn}/*")
        else:
            function.allow(LOOK, f"{self.arn}/*")
            function.allow(["es:ESHttpPost"], *(f"{self.arn}/*/{query}" for query in QUERIES))


def _shared(options: Options) -> str:
    """The URL of an index that is there already, with names of this tenant's own on a node of several."""
    own = options.search.startswith("http") and "prefix=" not in options.search
    joint = "&" if "?" in options.search else "?"
    return f"{options.search}{joint}prefix=remembrancer-{options.tenant}" if own else options.search
