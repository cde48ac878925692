from collections.abc import Sequence
from unittest.mock import patch

from remembrancer.core.catalogue import PageHead
from remembrancer.core.sessions import Pick, SessionRecord
from remembrancer.errors import Unavailable
from remembrancer.parts.lanes import Offered, offer
from remembrancer.parts.retrieve import Filter, Retrieved, retrieve
from tests.system import System


def page(slug: str, body: str) -> dict[str, str]:
    return {"slug": slug, "content": f"---\nsource: import:notes\n---\n\n{body}\n"}


def ingest(system: System, *pages: dict[str, str]) -> None:
    system.post("ingest", {"pages": list(pages)})
    system.pump()
    system.learn()


def select(system: System, session: str, slugs: Sequence[str]) -> None:
    picks = [Pick(f"{slug}§~000000000000", "match") for slug in slugs]
    record = SessionRecord(session)
    system.wiring.sessions.record(system.space, record, [], turn_id="t", reply="", picks=picks)


def find(system: System, message: str, previous_reply: str = "") -> Retrieved:
    head = system.wiring.spaces.head(system.space)
    return retrieve(
        system.wiring,
        system.space,
        head,
        message,
        now_ms=system.wiring.clock.now_ms(),
        zone="UTC",
        wanted=Filter(),
        purpose="inject",
        timeout_s=5,
        previous_reply=previous_reply,
        around=True,
    )


def offered(system: System, message: str, previous_reply: str = "", *, bypass: bool = False) -> Offered:
    head, found = system.wiring.spaces.head(system.space), find(system, message, previous_reply)
    return offer(system.wiring, system.space, head, found, bypass_for_core=bypass)


def lanes(found: Offered) -> dict[str, str]:
    return {candidate.unit.parent: candidate.lane for candidate in found.candidates}


def head_of(system: System, slug: str) -> PageHead:
    head = system.wiring.catalogue.head(system.space, slug)
    assert head is not None
    return head


PLACES = [page(f"places/p{n}", f"Harbour number {n} has a lighthouse and a ferry.") for n in range(12)]
SMALL_TALK = "Haha, thank you so much, have a nice evening!"


def test_every_unit_comes_once_in_the_lane_that_holds_it_first(system: System) -> None:
    ingest(
        system,
        *PLACES,
        page("rules", "Always answer in Danish."),
        page("core-pages", "- [[rules]]"),
        page("kettle", "The kettle is blue. It stands near [[stove]]."),
        page("stove", "Gas only, with three rings."),
    )
    for n in range(3):
        select(system, f"s{n}", ["places/p1"])
    system.learn()
    found = offered(system, "What colour is the kettle?")
    assert found.gate.open
    named = lanes(found)
    assert named["rules"] == "core"
    assert found.candidates[0].unit.parent == "rules"
    assert named["places/p1"] == "hot"
    assert named["kettle"] == "fresh"
    assert next(c.unit.parent for c in found.candidates if c.lane != "core") == "kettle"
    keys = [(c.unit.parent, c.unit.ordinal) for c in found.candidates]
    assert len(keys) == len(set(keys))


def test_links_and_use_lead_to_pages_that_no_list_holds(system: System) -> None:
    ingest(
        system,
        *PLACES,
        page("kettle", "The kettle is blue. It stands near [[stove]]."),
        page("stove", "Gas only, with three rings."),
        page("cups", "Four of porcelain."),
    )
    for n in range(5):
        select(system, f"s{n}", ["kettle", "cups"])
    for n in range(5, 12):
        select(system, f"s{n}", [f"places/p{n}"])
    system.learn()
    assert [(n.slug, n.kind) for n in head_of(system, "kettle").neighbours] == [("cups", "learned")]
    system.wiring.spaces.update(
        system.space, {"lanes": {"core": ["places/p0"] + [f"places/p{n}" for n in range(9)]}}
    )
    with patch("remembrancer.core.lanes.LEAN_PAGES", 5):
        found = find(system, "kettle")
        head = system.wiring.spaces.head(system.space)
        only = Retrieved(found.ranked[:1], found.heads, found.entries, (), found.analysis, found.lanes)
        named = lanes(offer(system.wiring, system.space, head, only))
    assert (named["kettle"], named["stove"], named["cups"]) == ("match", "edge", "learned")


def test_the_previous_reply_finds_what_the_message_does_not_say(system: System) -> None:
    system.post("remember", {"content": ["The kettle is blue.", "Rosa moved to Lisbon in spring."]})
    system.pump()
    many = [f"Parcel {n} stands in bay {n}." for n in range(100)]
    system.post("remember", {"content": many})
    system.pump()
    found = find(system, "And the parcels of bay 7?", "You asked about Rosa and Lisbon.")
    words = {hit.unit.shown for hit in found.lanes["reply_bm25"]}
    assert words == {"Rosa moved to Lisbon in spring."}
    lane = {c.unit.shown: c.lane for c in offered(system, "bay 7?", "You asked about Rosa.").candidates}
    assert lane["Rosa moved to Lisbon in spring."] in ("match", "reply")


def test_a_closed_gate_leaves_the_core_at_most(system: System) -> None:
    ingest(system, *PLACES, page("rules", "Always answer in Danish."), page("core-pages", "- [[rules]]"))
    closed = offered(system, SMALL_TALK)
    assert (closed.gate.open, closed.candidates) == (False, ())
    assert closed.gate.reason.startswith("fail_")
    assert lanes(offered(system, SMALL_TALK, bypass=True)) == {"rules": "core"}


def test_a_gate_that_cannot_judge_is_open(system: System) -> None:
    ingest(system, *PLACES)
    with patch.object(system.wiring.embedder, "embed", side_effect=Unavailable("down")):
        found = offered(system, "lighthouse")
    assert (found.gate.open, found.gate.reason) == (True, "dense_unavailable")
    assert "embedder" in found.degraded
    assert found.candidates
    with patch.object(system.wiring.index, "search", side_effect=Unavailable("down")):
        found = offered(system, "lighthouse")
    assert (found.gate.open, found.candidates, found.degraded) == (True, (), ("index",))


def test_one_request_to_the_index_serves_all_lanes(system: System) -> None:
    ingest(system, *PLACES, page("kettle", "The kettle is blue. See [[stove]]."), page("stove", "Gas."))
    index = system.wiring.index
    with patch.object(index, "search", wraps=index.search) as searched:
        assert offered(system, "kettle", "The stove is hot.").candidates
    assert searched.call_count == 1


def test_importance_and_in_degree_follow_links(system: System) -> None:
    ingest(system, page("hub", "Alone."), *(page(f"leaf-{n}", "See [[hub]].") for n in range(4)))
    hub, leaf = head_of(system, "hub"), head_of(system, "leaf-1")
    assert (hub.in_degree, leaf.in_degree) == (4, 0)
    assert hub.importance is not None
    assert leaf.importance is not None
    assert leaf.importance < 0.5 < hub.importance < 1
