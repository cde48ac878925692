"""Where a tenant's memory lies: bucket, two tables, and the key that encrypts them."""

from typing import Any

from aws_cdk import Aws, Duration, RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.options import Options

INDEXES = {
    # name: keys, and what else of an item it holds
    "by_kind": ("gk", "ts", dynamodb.ProjectionType.ALL),
    "by_session": ("gs", "sk", dynamodb.ProjectionType.ALL),
    "by_change": ("gc", "changed", dynamodb.ProjectionType.KEYS_ONLY),
}
KEEP_OLD = Duration.days(90)


class Storage(Construct):
    """Everything here outlives the stack, except on an emulator."""

    def __init__(self, scope: Construct, id: str, options: Options) -> None:
        super().__init__(scope, id)
        self.keep = RemovalPolicy.DESTROY if options.local else RemovalPolicy.RETAIN
        self.key = kms.Key(
            self,
            "Key",
            alias=options.name("tenant"),
            description=f"Memory of tenant {options.tenant}",
            enable_key_rotation=True,
            removal_policy=self.keep,
        )
        self.bucket = self._bucket(options)
        self.memory = self._table(options, "memory", stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES)
        for index, (pk, sk, projection) in INDEXES.items():
            self.memory.add_global_secondary_index(
                index_name=index, partition_key=_text(pk), sort_key=_text(sk), projection_type=projection
            )
        self.expiring = self._table(options, "expiring", time_to_live_attribute="expires_at")

    def _bucket(self, options: Options) -> s3.Bucket:
        bucket = s3.Bucket(
            self,
            "Pages",
            # names of buckets are global: account and region keep them apart, and others from taking ours
            bucket_name=f"{options.name('pages')}-{Aws.ACCOUNT_ID}-{Aws.REGION}",
            versioned=True,
            encryption=s3.BucketEncryption.KMS,
            encryption_key=self.key,
            bucket_key_enabled=True,
            enforce_ssl=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            lifecycle_rules=[
                s3.LifecycleRule(
                    id="old-versions",
                    noncurrent_version_expiration=KEEP_OLD,
                    expired_object_delete_marker=True,
                    abort_incomplete_multipart_upload_after=Duration.days(7),
                )
            ],
            removal_policy=self.keep,
        )
        resource = bucket.node.default_child
        assert isinstance(resource, s3.CfnBucket)
        # the construct's own switch would do this through a custom resource
        resource.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(event_bridge_enabled=True)
        )
        return bucket

    def _table(self, options: Options, name: str, **more: Any) -> dynamodb.Table:
        return dynamodb.Table(
            self,
            name.capitalize(),
            table_name=options.name(name),
            partition_key=_text("pk"),
            sort_key=_text("sk"),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.CUSTOMER_MANAGED,
            encryption_key=self.key,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            deletion_protection=not options.local,
            removal_policy=self.keep,
            **more,
        )


def _text(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)
