from remembrancer.actions.remember import remember as take_in
from remembrancer.core.told import Circumstances
from remembrancer.wiring import Wiring
from tests import events
from tests.system import System


def remember(system: System, **body: object) -> list[dict[str, object]]:
    found: list[dict[str, object]] = system.post("remember", body)["entries"]
    return found


def test_the_sample_event_is_answered(system: System) -> None:
    event = events.load("remember")
    event["headers"]["authorization"] = f"Bearer {system.token}"
    event["headers"]["x-memory-space"] = system.space
    reply = system.task("remember", event)
    assert reply["statusCode"] == 200, reply["body"]
    assert reply["headers"]["X-Request-Id"] == event["requestContext"]["requestId"]


def test_a_fact_is_stored_and_listed_as_pending(system: System) -> None:
    (entry,) = remember(system, content="The boiler is serviced every [[October]].", source="user")
    assert entry["status"] == "stored"
    assert entry["links"] == ["October"]
    items = system.get("memory/entries?status=pending")["items"]
    assert [item["id"] for item in items] == [entry["id"]]
    assert items[0]["text"] == "The boiler is serviced every [[October]]."
    assert items[0]["source"] == "user"


def test_a_fact_of_a_space_without_a_zone_is_noted_in_the_tenants(system: System) -> None:
    wired = Wiring(system.wiring.settings.model_copy(update={"tenant_zone": "Asia/Kathmandu"}))
    take_in(wired, system.space, ["The bus leaves at six."], Circumstances())
    take_in(wired, system.space, ["The ferry leaves at ten."], Circumstances(zone="Asia/Tokyo"))
    assert [entry.zone for entry in wired.entries.pending(system.space, limit=2)] == [
        "Asia/Kathmandu",
        "Asia/Tokyo",
    ]
    wired.spaces.update(system.space, {"zone": "Europe/Berlin"})
    assert wired.spaces.head(system.space).zone == "Europe/Berlin"


def test_the_same_fact_again_is_a_duplicate_and_confirms_the_first(system: System) -> None:
    (first,) = remember(system, content="Tea is at four.", source="user")
    (second,) = remember(system, content="  tea IS at\tfour. ", source="agent:9")
    assert second["status"] == "duplicate"
    assert second["duplicate_of"] == first["id"]
    (item,) = system.get("memory/entries?status=pending")["items"]
    assert item["sources"] == ["user", "agent:9"]


def test_composed_and_decomposed_letters_are_one_fact(system: System) -> None:
    (first,) = remember(system, content="The caf\u00e9 opens at nine.")
    (second,) = remember(system, content="The cafe\u0301 opens at nine.")
    assert second["duplicate_of"] == first["id"]


def test_equal_facts_in_one_call_are_stored_once(system: System) -> None:
    first, second = remember(system, content=["Bins go out on Monday.", "bins go out on monday."])
    assert (first["status"], second["status"]) == ("stored", "duplicate")
    assert second["duplicate_of"] == first["id"]


def test_a_hundred_facts_fit_in_one_call_and_keep_their_order(system: System) -> None:
    entries = remember(system, content=[f"Shelf {n} holds box {n * 7}." for n in range(100)])
    assert len({entry["id"] for entry in entries}) == 100
    assert [entry["id"] for entry in entries] == sorted(str(entry["id"]) for entry in entries)


def test_blank_facts_are_dropped_and_nothing_left_is_refused(system: System) -> None:
    (only,) = remember(system, content=["  ", "One real fact.", "\n"])
    assert only["status"] == "stored"
    reply = system.call("POST", "/v1/memory/remember", {"content": [" ", "\t"]})
    assert (reply.status, reply.json["error"]["code"]) == (400, "invalid")
    assert reply.json["error"]["message"] == "content is required"


def test_bad_input_stores_nothing(system: System) -> None:
    good = "This stands beside a bad one."
    for body, field in (
        ({"content": [good, "x" * 16_001]}, "content"),
        ({"content": [good] * 101}, "content"),
        ({"content": good, "kind": "other"}, "kind"),
        ({"content": good, "zone": "Mars/Base"}, "zone"),
        ({"content": good, "at": "soon"}, "at"),
        ({"content": good, "session_id": "a/b"}, "session_id"),
        ({"content": good, "importance": 2}, "importance"),
        ({"content": good, "trigger": "dog"}, "trigger"),
        ({"content": 7}, "content"),
    ):
        reply = system.call("POST", "/v1/memory/remember", body)
        assert 400 <= reply.status < 500, (body, reply.text)
        assert field in reply.json["error"]["field"], (body, reply.text)
    assert system.get("memory/entries?status=all")["items"] == []


def test_a_lone_surrogate_is_refused(system: System) -> None:
    reply = system.call("POST", "/v1/memory/remember", raw='{"content": "bad \\ud800 text"}')
    assert reply.status == 400


def test_the_same_key_again_gets_the_first_reply(system: System) -> None:
    body = {"content": "The spare key hangs in the shed."}
    first = system.call("POST", "/v1/memory/remember", body, idempotency_key="k-1")
    second = system.call("POST", "/v1/memory/remember", body, idempotency_key="k-1")
    assert first.json == second.json
    other = system.call("POST", "/v1/memory/remember", {"content": "Another."}, idempotency_key="k-1")
    assert (other.status, other.json["error"]["field"]) == (400, "Idempotency-Key")


def test_line_ends_become_one_kind(system: System) -> None:
    remember(system, content="one\r\ntwo\rthree\u2028four")
    (item,) = system.get("memory/entries?status=pending")["items"]
    assert item["text"] == "one\ntwo\nthree\nfour"
