import pytest

from tests.system import System


def put(system: System, slug: str, **body: object) -> dict[str, object]:
    reply = system.call("PUT", f"/v1/memory/pages/{slug}", body)
    assert reply.status in (200, 201), reply.text
    found: dict[str, object] = reply.json
    return found


def test_a_page_is_created_read_and_found(system: System) -> None:
    made = put(system, "places/allotment", title="Allotment", body="The plot by the line.", tags=["garden"])
    assert (made["rev"], made["title"], made["tags"], made["indexed"]) == (1, "Allotment", ["garden"], True)
    assert system.get("memory/pages/places/allotment")["indexed"] is False
    system.pump()
    assert system.get("memory/pages/places/allotment")["indexed"] is True
    page = system.get("memory/pages/places/allotment")
    assert page["body"].strip() == "The plot by the line."
    system.wiring.index.refresh()
    assert system.post("recall", {"query": "plot"})["results"][0]["slug"] == "places/allotment"


def test_a_change_is_found_at_once_and_the_old_text_is_not(system: System) -> None:
    put(system, "gate", body="The code is zebra.")
    put(system, "gate", body="The code is giraffe.")
    system.wiring.index.refresh()
    texts = [r["text"] for r in system.post("recall", {"query": "zebra code"})["results"]]
    assert texts == ["The code is giraffe."]


def test_conditions_hold(system: System) -> None:
    assert system.call("PUT", "/v1/memory/pages/a", {"body": "x"}, if_match='"none"').status == 412
    first = system.call("PUT", "/v1/memory/pages/a", {"body": "x"}, if_none_match="*")
    assert first.status == 201
    assert system.call("PUT", "/v1/memory/pages/a", {"body": "y"}, if_none_match="*").status == 412
    etag = first.headers["ETag"]
    assert system.call("PUT", "/v1/memory/pages/a", {"body": "y"}, if_match=etag).status == 200
    assert system.call("PUT", "/v1/memory/pages/a", {"body": "z"}, if_match=etag).status == 412


def test_fields_that_a_caller_does_not_name_stay(system: System) -> None:
    put(system, "a", markdown="---\ntitle: Old\nmood: green\n---\n\nText.\n")
    put(system, "a", title="New", body="Other text.")
    raw = system.call("GET", "/v1/memory/pages/a?format=markdown")
    assert raw.headers["Content-Type"].startswith("text/markdown")
    assert raw.text == "---\ntitle: New\nmood: green\n---\n\nOther text.\n"


@pytest.mark.parametrize("slug", ["A", "a//b", "views/x", "archive/2026", "a" * 81, "..%2Fb", "a%00"])
def test_a_slug_that_is_none_is_refused(system: System, slug: str) -> None:
    reply = system.call("PUT", f"/v1/memory/pages/{slug}", {"body": "x"})
    assert (reply.status, reply.json["error"]["field"]) == (400, "slug")


def test_a_page_that_does_not_exist_is_404_and_nothing_is_made(system: System) -> None:
    assert system.call("GET", "/v1/memory/pages/none").status == 404
    assert system.get("memory/pages")["items"] == []


def test_too_much_and_too_little_are_refused(system: System) -> None:
    assert system.call("PUT", "/v1/memory/pages/a", {}).status == 400
    assert system.call("PUT", "/v1/memory/pages/a", {"body": "x", "markdown": "y"}).status == 400
    assert system.call("PUT", "/v1/memory/pages/a", {"body": "x" * 1_000_001}).status == 413


def test_an_object_put_into_the_bucket_by_hand_becomes_a_page(system: System) -> None:
    system.wiring.pages.write(system.space, "concepts/hand.md", b"# By hand\n\nA narwhal lives here.\n", etag=None)
    system.pump()
    assert system.get("memory/pages/hand")["rev"] == 1
    assert system.post("recall", {"query": "narwhal"})["results"][0]["slug"] == "hand"
    system.wiring.pages.delete(system.space, "concepts/hand.md")
    system.task(
        "index_pages",
        {
            "Records": [
                {
                    "messageId": "1",
                    "body": f'{{"detail": {{"object": {{"key": "spaces/{system.space}/concepts/hand.md"}}}}}}',
                }
            ]
        },
    )
    system.wiring.index.refresh()
    assert system.call("GET", "/v1/memory/pages/hand").status == 404
    assert system.post("recall", {"query": "narwhal"})["results"] == []
