"""GET and PUT /v1/memory/pages."""

from typing import Annotated, Any, Literal
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from remembrancer.actions.pages import get_page, list_pages, put_page
from remembrancer.core.page_view import line
from remembrancer.http import JSON, Api, as_json
from remembrancer.shapes.pages import PageBody
from remembrancer.wiring import wiring

handler = Api()
Limit = Annotated[int, Query(ge=1, le=1000)]


@handler.route("GET", "/v1/memory/pages", "read", operation_id="memory_pages_list", tags=["pages"])
def list_(limit: Limit = 100, cursor: str = "") -> dict[str, Any]:
    return list_pages(wiring(), handler.space, limit=limit, cursor=cursor)


@handler.route("GET", "/v1/memory/pages/{slug+}", "read", operation_id="memory_page_get", tags=["pages"])
def get(slug: str, format: Literal["json", "markdown"] = "json") -> Response[str]:
    head, page, raw = get_page(wiring(), handler.space, unquote(slug))
    headers: dict[str, Any] = {"ETag": head.etag}
    if format == "markdown":
        return Response(200, "text/markdown; charset=utf-8", raw.decode("utf-8", "replace"), headers)
    body = {**line(head), "body": page.body, "fields": page.fields, "extra": page.extra, "problems": page.problems}
    return Response(200, JSON, as_json(body), headers)


@handler.route("PUT", "/v1/memory/pages/{slug+}", "write", operation_id="memory_page_put", tags=["pages"])
def put(slug: str, body: PageBody) -> Response[str]:
    head, created = put_page(
        wiring(),
        handler.space,
        unquote(slug),
        markdown=body.markdown,
        fields=body.fields,
        body=body.body,
        if_match=handler.header("if-match"),
        if_none_match=handler.header("if-none-match"),
    )
    return Response(201 if created else 200, JSON, as_json(line(head)), {"ETag": head.etag})
