"""What keeps the index up to date: bucket events through a queue, entries through the table's stream."""

import json

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_lambda_event_sources import SqsDlq
from constructs import Construct

from infra.function import Function, lost_events
from infra.options import Options
from infra.storage import Storage

PARTS = ("#BUFFER", "#ENTRIES")
"""Ends of the partitions that hold entries."""


class Indexing(Construct):
    """`lost` are the queues of what could not be indexed; the nightly drift check finds it again."""

    def __init__(
        self, scope: Construct, id: str, options: Options, storage: Storage, pages: Function, entries: Function
    ) -> None:
        super().__init__(scope, id)
        self.lost = [self._follow_pages(options, storage, pages), self._follow_entries(options, storage, entries)]

    def _follow_pages(self, options: Options, storage: Storage, function: Function) -> sqs.Queue:
        lost = lost_events(self, "LostPages", options.name("index-pages-lost"))
        self.queue = sqs.Queue(
            self,
            "Pages",
            queue_name=options.name("index-pages"),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            visibility_timeout=Duration.minutes(12),  # six times the function's time, as Lambda wants it
            dead_letter_queue=sqs.DeadLetterQueue(queue=lost, max_receive_count=5),
        )
        events.Rule(
            self,
            "PageChanged",
            rule_name=options.name("page-changed"),
            event_pattern=events.EventPattern(
                source=["aws.s3"],
                detail_type=["Object Created", "Object Deleted"],
                detail={
                    "bucket": {"name": [storage.bucket.bucket_name]},
                    "object": {"key": [{"wildcard": "spaces/*/concepts/*"}]},
                },
            ),
            targets=[targets.SqsQueue(self.queue)],
        )
        lambda_.EventSourceMapping(
            self,
            "PagesMapping",
            target=function.function,
            event_source_arn=self.queue.queue_arn,
            batch_size=10,
            report_batch_item_failures=True,
            max_concurrency=4,
        )
        function.allow(("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"), self.queue.queue_arn)
        return lost

    def _follow_entries(self, options: Options, storage: Storage, function: Function) -> sqs.Queue:
        lost = lost_events(self, "LostEntries", options.name("index-entries-lost"))
        stream = storage.memory.table_stream_arn
        assert stream is not None
        wanted = {
            "eventName": ["INSERT", "MODIFY"],
            "dynamodb": {"Keys": {"pk": {"S": [{"suffix": part} for part in PARTS]}}},
        }
        lambda_.EventSourceMapping(
            self,
            "EntriesMapping",
            target=function.function,
            event_source_arn=stream,
            starting_position=lambda_.StartingPosition.TRIM_HORIZON,
            batch_size=100,
            max_batching_window=Duration.seconds(1),
            bisect_batch_on_error=True,
            retry_attempts=20,
            max_record_age=Duration.hours(6),
            on_failure=SqsDlq(lost),
            filters=[{"pattern": json.dumps(wanted)}],
        )
        reads = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
        function.allow([f"dynamodb:{name}" for name in reads], stream)
        return lost
