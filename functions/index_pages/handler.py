"""Bucket events of pages, through a queue."""

import json
from typing import Any

from remembrancer.actions.index_pages import index_one
from remembrancer.errors import RemembrancerError
from remembrancer.steps import Event, logger, task
from remembrancer.wiring import wiring


@task
def handler(event: Event) -> dict[str, Any]:
    waiting: dict[tuple[str, str], list[str]] = {}
    for record in event["Records"]:
        key = str(json.loads(record["body"])["detail"]["object"]["key"])
        space, _, name = key.removeprefix("spaces/").partition("/")
        if key.startswith("spaces/") and name.startswith("concepts/") and name.endswith(".md"):
            slug = name.removeprefix("concepts/").removesuffix(".md")
            waiting.setdefault((space, slug), []).append(record["messageId"])
    failed: list[str] = []
    for (space, slug), messages in waiting.items():
        try:
            index_one(wiring(), space, slug)
        except RemembrancerError as error:
            logger.warning("page not indexed", error=type(error).__name__)
            failed += messages
    return {"batchItemFailures": [{"itemIdentifier": message} for message in failed]}
