from collections.abc import Callable

import httpx
import pytest

from remembrancer.cli.calls import Api, Refused

Answer = Callable[[httpx.Request], httpx.Response]


def api(answer: Answer) -> Api:
    return Api("http://memory.test", "rmb_a_b", transport=httpx.MockTransport(answer))


def test_a_call_carries_the_token_and_its_body() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"] == "Bearer rmb_a_b"
        assert (request.method, request.url.path, request.content) == ("POST", "/v1/x", b'{"a":1}')
        return httpx.Response(200, json={"b": 2})

    with api(answer) as memory:
        assert memory.post("/v1/x", {"a": 1}) == {"b": 2}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"code": "invalid", "message": "content is required", "field": "content"}}, "(content)"),
        ({"error": {"code": "forbidden", "message": "not this space"}}, "403 not this space"),
        ({"message": "Forbidden"}, '{"message":"Forbidden"}'),
        (["odd"], '["odd"]'),
    ],
)
def test_a_refusal_is_told_in_the_words_of_the_service(body: object, words: str) -> None:
    with api(lambda _: httpx.Response(403, json=body)) as memory, pytest.raises(Refused) as told:
        memory.get("/v1/x")
    assert words in str(told.value)


def test_a_service_that_does_not_answer_is_a_refusal() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with api(answer) as memory, pytest.raises(Refused, match="does not answer"):
        memory.get("/v1/x")
