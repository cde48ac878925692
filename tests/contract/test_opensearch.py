"""What is special to OpenSearch: the wire, a strict mapping, and a server that is lost, slow or busy."""

import json
import secrets
import threading
from array import array
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest.mock import patch

import pytest
from opensearchpy import OpenSearch

from remembrancer.adapters.opensearch import OpenSearchIndex, bulk
from remembrancer.adapters.opensearch.client import Client
from remembrancer.core.units import Unit
from remembrancer.errors import Invalid, Throttled, Unavailable
from remembrancer.ports import Embedded, Lane, Search
from tests.opensearch import server

VECTOR = array("f", [0.6, 0.8])
SEARCH = Search("s", (Lane("bm25", text="heron"), Lane("knn", vector=VECTOR)), vector=VECTOR, timeout_s=0.5)


def embedded(parent: str = "a", text: str = "the heron", rev: int = 1) -> Embedded:
    return Embedded(Unit("passage", parent, 0, rev, text, text, text, text), VECTOR, VECTOR)


@pytest.fixture
def prefix() -> str:
    return "wire-" + secrets.token_hex(4)


@pytest.fixture
def index(prefix: str) -> Iterator[OpenSearchIndex]:
    made = OpenSearchIndex(f"{server.url()}?prefix={prefix}", "model:1", 2)
    yield made
    made.close()


@pytest.fixture
def raw() -> Iterator[OpenSearch]:
    client = OpenSearch(server.url())
    yield client
    client.close()


# ---------------------------------------------------------------- a real server


def test_the_index_is_strict_has_one_shard_and_two_aliases(
    index: OpenSearchIndex, raw: OpenSearch, prefix: str
) -> None:
    index.ensure()
    [(name, made)] = raw.indices.get(index=f"{prefix}-*").items()
    assert sorted(made["aliases"]) == [f"{name[:-2]}-read", f"{name[:-2]}-write"]
    assert made["mappings"]["dynamic"] == "strict"
    assert made["mappings"]["properties"]["vec"]["method"]["engine"] == "lucene"
    settings = made["settings"]["index"]
    wanted = {"number_of_shards": "1", "refresh_interval": "5s", "gc_deletes": "1h"}
    assert {key: settings[key] for key in wanted} == wanted


def test_a_field_that_the_mapping_does_not_know_is_refused(index: OpenSearchIndex) -> None:
    with patch.object(bulk, "stored", lambda unit: {"type": "passage", "surprise": 1}):
        [error] = index.put("s", [embedded()]).values()
    assert error == "strict_dynamic_mapping_exception"


def test_the_analyzer_folds_stems_and_pairs(index: OpenSearchIndex, raw: OpenSearch, prefix: str) -> None:
    index.ensure()
    text = "Caf\u00e9's RUNNING foxes \u6771\u4eac\u90fd \uff21\uff22"
    [name] = raw.indices.get(index=f"{prefix}-*")
    reply = raw.indices.analyze(index=name, body={"analyzer": "mem_text", "text": text})
    tokens = [token["token"] for token in reply["tokens"]]
    assert tokens == ["cafe", "run", "fox", "\u6771\u4eac", "\u4eac\u90fd", "ab"]


def test_an_engine_that_is_not_named_or_unknown_creates_nothing(raw: OpenSearch, prefix: str) -> None:
    index = OpenSearchIndex(f"{server.url()}?prefix={prefix}&engine=nmslib", "model:1", 2)
    with pytest.raises(Invalid) as caught:
        index.ensure()
    index.close()
    assert caught.value.field == "engine"
    assert raw.indices.get(index=f"{prefix}-*") == {}


def test_an_index_of_another_model_under_our_name_is_refused(
    index: OpenSearchIndex, raw: OpenSearch, prefix: str
) -> None:
    index.ensure()
    [name] = raw.indices.get(index=f"{prefix}-*")
    raw.indices.put_mapping(index=name, body={"_meta": {"identity": "model:2"}})
    late = OpenSearchIndex(f"{server.url()}?prefix={prefix}", "model:1", 2)
    with pytest.raises(Invalid) as caught:
        late.put("s", [embedded()])
    late.close()
    assert caught.value.field == "identity"


def test_a_removed_index_is_made_again_by_the_next_write(
    index: OpenSearchIndex, raw: OpenSearch, prefix: str
) -> None:
    assert index.put("s", [embedded()]) == {}
    [name] = raw.indices.get(index=f"{prefix}-*")
    raw.indices.delete(index=name)
    assert index.search(SEARCH).hits == ()
    assert index.put("s", [embedded()]) == {}
    index.refresh()
    assert index.count("s") == 1
    assert list(raw.indices.get(index=f"{prefix}-*")) == [name]


def test_scores_are_bm25_without_the_old_factor(index: OpenSearchIndex) -> None:
    assert index.put("s", [embedded("a", "heron"), embedded("b", "otter"), embedded("c", "otter")]) == {}
    index.refresh()
    [hit] = index.search(Search("s", (Lane("bm25", text="heron"),))).hits
    one_field = 0.98083 / 2.2  # ln(1 + 2.5 / 1.5) * 1 / (1 + 1.2)
    assert hit.scores["bm25"] == pytest.approx(2 * one_field, rel=0.001)


def test_a_warm_process_needs_one_request_a_call(index: OpenSearchIndex) -> None:
    index.put("s", [embedded()])
    index.search(SEARCH)
    sent: list[str] = []
    real = Client.call

    def counted(self: Client, method: str, path: str, *args: Any, **more: Any) -> Any:
        sent.append(path.rsplit("/", 1)[1])
        return real(self, method, path, *args, **more)

    with patch.object(Client, "call", counted):
        index.ensure()
        index.search(SEARCH)
        index.put("s", [embedded(rev=2)], gone=[("b", 0, 2)])
    assert sent == ["_msearch", "_bulk"]


# ---------------------------------------------------------------- a server that misbehaves


class Script:
    """A server that answers `_bulk` and `_msearch` as told, one answer after the other."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Any]] = []
        self.bodies: list[str] = []
        self.hang = threading.Event()
        script = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._reply(200, {"version": {"number": "2.19.1"}} if self.path == "/" else {})

            def do_POST(self) -> None:
                script.bodies.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                if not script.answers:
                    script.hang.wait(5)
                    return
                self._reply(*script.answers.pop(0))

            def _reply(self, status: int, body: Any) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.hang.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def script() -> Iterator[Script]:
    made = Script()
    with patch.object(bulk, "FIRST_WAIT_S", 0.001):
        yield made
    made.close()


@pytest.fixture
def scripted(script: Script) -> Iterator[OpenSearchIndex]:
    index = OpenSearchIndex(script.url, "model:1", 2)
    yield index
    index.close()


def items(*statuses: int) -> tuple[int, Any]:
    made = [
        {"index": {"status": status} | ({} if status < 300 else {"error": {"type": f"error_{status}"}})}
        for status in statuses
    ]
    return 200, {"errors": any(status >= 300 for status in statuses), "items": made}


def test_only_the_busy_items_are_sent_again(script: Script, scripted: OpenSearchIndex) -> None:
    script.answers = [items(201, 429, 503, 409, 400), items(201, 429), items(201)]
    errors = scripted.put("s", [embedded(name) for name in "abcde"])
    assert list(errors.values()) == ["error_400"]
    assert [body.count('"version_type"') for body in script.bodies] == [5, 2, 1]


def test_a_server_that_stays_busy_is_throttled(script: Script, scripted: OpenSearchIndex) -> None:
    script.answers = [
        (429, {}),
        items(429),
        (403, {"error": "Request throttled due to too many requests"}),
        items(429),
    ]
    with pytest.raises(Throttled):
        scripted.put("s", [embedded()])
    assert len(script.bodies) == 4


def test_many_documents_go_in_several_requests(script: Script, scripted: OpenSearchIndex) -> None:
    script.answers = [items(*[201] * 100), items(*[201] * 50), items(201), items(201)]
    assert scripted.put("s", [embedded(f"p{n}") for n in range(150)]) == {}
    large = "x" * (bulk.MAX_BYTES // 6)
    assert scripted.put("s", [embedded("a", large), embedded("b", large)]) == {}
    assert len(script.bodies) == 4


def test_a_slow_server_is_given_up_within_the_searchs_time(scripted: OpenSearchIndex) -> None:
    with pytest.raises(Unavailable):
        scripted.search(SEARCH)


def test_no_server_is_unavailable() -> None:
    index = OpenSearchIndex("http://127.0.0.1:9", "model:1", 2)
    for call in (lambda: index.search(SEARCH), lambda: index.count("s"), lambda: index.put("s", [embedded()])):
        with pytest.raises(Unavailable) as caught:
            call()
        assert "heron" not in str(caught.value)
    index.close()


def test_an_error_of_the_server_never_quotes_a_document(script: Script, scripted: OpenSearchIndex) -> None:
    quoting = {"error": {"type": "parsing_exception", "reason": "Preview of field's value: 'the heron'"}}
    script.answers = [(400, quoting), (400, quoting)]
    for call in (lambda: scripted.search(SEARCH), lambda: scripted.put("s", [embedded()])):
        with pytest.raises(Unavailable) as caught:
            call()
        assert str(caught.value) == "the search index answered 400 (parsing_exception)"


def test_a_partial_answer_is_kept_and_named(script: Script, scripted: OpenSearchIndex) -> None:
    shards = {"failed": 0}
    script.answers = [
        (
            200,
            {
                "responses": [
                    {"timed_out": True, "_shards": shards, "hits": {"hits": []}, "status": 200},
                    {"error": {"type": "search_phase_execution_exception"}, "status": 503},
                ]
            },
        )
    ]
    assert scripted.search(SEARCH).degraded == ("bm25", "knn")


@pytest.mark.parametrize(
    ("host", "signed"),
    [
        ("search-mem-abc.eu-central-1.es.amazonaws.com", "eu-central-1"),
        ("search-mem-abc.cn-north-1.es.amazonaws.com.cn", "cn-north-1"),
        ("example.com", ""),
        ("es.amazonaws.com.example.com", ""),
    ],
)
def test_only_requests_to_an_aws_domain_are_signed(
    host: str, signed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    client = Client(f"https://{host}?prefix=mem")
    connection = client._client.transport.connection_pool.connections[0]
    with patch.object(connection.pool, "urlopen", side_effect=RuntimeError) as urlopen, pytest.raises(Unavailable):
        client.call("GET", "/")
    headers = urlopen.call_args.args[4] if len(urlopen.call_args.args) > 4 else urlopen.call_args.kwargs["headers"]
    assert (f"/{signed}/es/aws4_request" in headers.get("Authorization", "")) == bool(signed)
    assert client.prefix == "mem"
    client.close()
