from dataclasses import replace
from unittest.mock import patch

import pytest

from remembrancer.adapters.dynamodb import Memory
from remembrancer.core.catalogue import Neighbour, PageHead, SectionHead
from remembrancer.core.entries import Entry
from remembrancer.errors import Invalid, LeaseLost, PreconditionFailed, TooLarge
from remembrancer.ports import Catalogue, Move


@pytest.fixture
def catalogue(memory: Memory) -> Catalogue:
    return memory.catalogue


def link(slug: str, kind: str = "link") -> Neighbour:
    return Neighbour(slug, kind, 1.0)


def test_a_head_comes_back_whole(catalogue: Catalogue, space: str) -> None:
    head = PageHead(
        "drinks/tea",
        1,
        etag='"abc"',
        version="v1",
        sha256="f" * 64,
        title="Tea",
        summary="All about tea",
        kind="topic",
        source="chat",
        fresh_ms=1_750_000_000_000,
        chars=120,
        units=3,
        sections=(SectionHead("", 0, 1, 20, "s0"), SectionHead("Green", 1, 2, 100, "s1")),
        links=("water",),
        tags=("drink",),
        importance=1.0,
        neighbours=(Neighbour("water", "wikilink", 1.0), Neighbour("coffee", "semantic", 0.25)),
        run="01RUN",
    )
    catalogue.put(space, head, over=None)
    assert catalogue.head(space, "drinks/tea") == head
    assert catalogue.heads(space, ["drinks/tea", "nowhere"]) == {"drinks/tea": head}
    assert catalogue.head(space, "nowhere") is None
    assert catalogue.head(f"{space}-b", "drinks/tea") is None


def test_a_head_replaces_only_the_named_rev(catalogue: Catalogue, space: str) -> None:
    catalogue.put(space, PageHead("tea", 1, title="one"), over=None)
    for over in (None, PageHead("tea", 2)):
        with pytest.raises(PreconditionFailed):
            catalogue.put(space, PageHead("tea", 3, title="wrong"), over=over)
    catalogue.put(space, PageHead("tea", 2, title="two"), over=catalogue.head(space, "tea"))
    with pytest.raises(PreconditionFailed):
        catalogue.put(space, PageHead("tea", 2, title="wrong"), over=PageHead("tea", 1))
    now = catalogue.head(space, "tea")
    assert now is not None
    assert (now.rev, now.title) == (2, "two")


def test_a_rev_of_an_absent_page_is_refused(catalogue: Catalogue, space: str) -> None:
    with pytest.raises(PreconditionFailed):
        catalogue.put(space, PageHead("tea", 2), over=PageHead("tea", 1))


def test_a_lost_fence_changes_no_page(catalogue: Catalogue, memory: Memory, space: str) -> None:
    lease = memory.leases.take(space, "run-1", "consolidation", seconds=60)
    catalogue.put(space, PageHead("tea", 1), over=None, lease=lease)
    memory.leases.take(space, "run-2", "ingest", seconds=60, over="run-1")
    with pytest.raises(LeaseLost):
        catalogue.put(space, PageHead("tea", 2, links=("water",)), over=catalogue.head(space, "tea"), lease=lease)
    assert catalogue.heads(space, ["tea"])["tea"].rev == 1
    assert catalogue.backlinks(space, "water") == []


def test_backlinks_follow_the_head(catalogue: Catalogue, space: str) -> None:
    neighbours = (link("water", "wikilink"), link("cup", "edge"), link("coffee", "semantic"))
    catalogue.put(space, PageHead("tea", 1, links=("water", "pot"), neighbours=neighbours), over=None)
    catalogue.put(space, PageHead("soup", 1, links=("water",)), over=None)
    assert catalogue.backlinks(space, "water") == [("soup", "link"), ("tea", "wikilink")]
    assert catalogue.backlinks(space, "cup") == [("tea", "edge")]
    assert catalogue.backlinks(space, "pot") == [("tea", "link")]
    assert catalogue.backlinks(space, "coffee") == []
    catalogue.put(space, PageHead("tea", 2, links=("cup",)), over=catalogue.head(space, "tea"))
    assert catalogue.backlinks(space, "water") == [("soup", "link")]
    assert catalogue.backlinks(space, "cup") == [("tea", "link")]
    catalogue.put(space, PageHead("tea", 3, links=("cup",), deleted=True), over=catalogue.head(space, "tea"))
    assert catalogue.backlinks(space, "cup") == []


def test_a_slug_that_starts_another_has_its_own_backlinks(catalogue: Catalogue, space: str) -> None:
    catalogue.put(space, PageHead("a", 1, links=("tea/green", "tea-pot", "tea#green")), over=None)
    assert catalogue.backlinks(space, "tea") == []
    assert catalogue.backlinks(space, "tea/green") == [("a", "link")]


def test_more_links_than_a_transaction_holds_are_all_kept(
    catalogue: Catalogue, memory: Memory, space: str
) -> None:
    lease = memory.leases.take(space, "run-1", "ingest", seconds=60)
    many = tuple(f"to-{n}" for n in range(250))
    catalogue.put(space, PageHead("hub", 1, links=many), over=None, lease=lease)
    assert all(catalogue.backlinks(space, to) == [("hub", "link")] for to in many[::7])
    catalogue.put(space, PageHead("hub", 2, links=many[200:]), over=catalogue.head(space, "hub"), lease=lease)
    left = [to for to in many if catalogue.backlinks(space, to)]
    assert left == list(many[200:])


def test_links_that_a_crash_left_open_are_completed_by_the_next_write(
    catalogue: Catalogue, memory: Memory, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tuple(f"to-{n}" for n in range(150))
    with monkeypatch.context() as patched:
        patched.setattr(memory.catalogue, "_complete", lambda *_: None)
        catalogue.put(space, PageHead("hub", 1, links=many), over=None)
    assert catalogue.backlinks(space, "to-149") == []
    catalogue.put(space, PageHead("hub", 2, links=many), over=catalogue.head(space, "hub"))
    assert all(catalogue.backlinks(space, to) for to in many)


def test_only_the_current_rev_is_marked_as_indexed(catalogue: Catalogue, space: str) -> None:
    catalogue.put(space, PageHead("tea", 1), over=None)
    catalogue.mark_indexed(space, "tea", 1)
    assert catalogue.heads(space, ["tea"])["tea"].indexed_rev == 1
    catalogue.put(space, PageHead("tea", 2, indexed_rev=1), over=catalogue.head(space, "tea"))
    catalogue.mark_indexed(space, "tea", 1)
    catalogue.mark_indexed(space, "nowhere", 1)
    now = catalogue.heads(space, ["tea", "nowhere"])
    assert set(now) == {"tea"}
    assert (now["tea"].rev, now["tea"].indexed_rev) == (2, 1)


@pytest.mark.parametrize("limit", [1, 2, 4, 100])
def test_pages_list_live_heads_by_slug(catalogue: Catalogue, space: str, limit: int) -> None:
    for slug in ("d", "a", "c", "e/f", "b"):
        catalogue.put(space, PageHead(slug, 1, deleted=slug == "c"), over=None)
    found: list[str] = []
    cursor = ""
    while True:
        heads, cursor = catalogue.page(space, limit=limit, cursor=cursor)
        found += [head.slug for head in heads]
        if not cursor:
            break
    assert found == ["a", "b", "d", "e/f"]


def test_a_cursor_of_another_space_is_refused(catalogue: Catalogue, space: str) -> None:
    for slug in ("a", "b"):
        catalogue.put(space, PageHead(slug, 1), over=None)
    _, cursor = catalogue.page(space, limit=1)
    with pytest.raises(Invalid) as caught:
        catalogue.page(f"{space}-b", limit=1, cursor=cursor)
    assert caught.value.field == "cursor"


def test_more_than_a_hundred_heads_are_read(catalogue: Catalogue, space: str) -> None:
    slugs = [f"page-{n}" for n in range(120)]
    for slug in slugs:
        catalogue.put(space, PageHead(slug, 1), over=None)
    assert set(catalogue.heads(space, [*slugs, *slugs, "nowhere"])) == set(slugs)


def test_a_head_that_no_item_can_hold_is_refused(catalogue: Catalogue, space: str) -> None:
    head = PageHead("big", 1, sections=tuple(SectionHead("k" * 80, n, 1, 1, "f" * 64) for n in range(3_000)))
    with pytest.raises(TooLarge):
        catalogue.put(space, head, over=None)
    catalogue.put(space, replace(head, sections=head.sections[:800]), over=None)


def test_heads_and_entries_are_read_together(memory: Memory, space: str) -> None:
    memory.catalogue.put(space, PageHead("tea", 1), over=None)
    pending, filed = Entry("01A", "Tea is hot."), Entry("01B", "Tea is green.")
    memory.entries.add(space, [pending, filed])
    lease = memory.leases.take(space, "run", "test", seconds=60)
    memory.entries.settle(space, [Move(replace(filed, filed_by="run"))], lease)
    with patch.object(memory.table, "get_many", wraps=memory.table.get_many) as reads:
        heads, entries = memory.catalogue.current(space, ["tea", "01A"], ["01A", "01B"], sections=True)
    assert reads.call_count == 1
    assert (set(heads), set(entries)) == ({"tea"}, {"01A", "01B"})
    assert entries == memory.entries.get(space, ["01A", "01B", "tea"])
    assert memory.catalogue.current(space, [], ["tea"], sections=True) == ({}, {})


def test_what_is_read_together_may_come_without_sections_and_lacks_nothing_else(
    memory: Memory, space: str
) -> None:
    entry = Entry(
        "01A", "Tea is hot.", session_id="s", source="chat", sources=("chat", "mail"), at_ms=5, tags=("a",)
    )
    memory.entries.add(space, [entry])
    head = PageHead(
        "tea",
        3,
        title="Tea",
        sections=(SectionHead("Green", 0, 2, 100, "s1"),),
        links=("b",),
        importance=0.5,
        neighbours=(Neighbour("c", "learned", 0.25),),
    )
    memory.catalogue.put(space, head, over=None)
    heads, entries = memory.catalogue.current(space, ["tea"], ["01A"], sections=False)
    assert heads == {"tea": replace(head, sections=())}
    assert entries == memory.entries.get(space, ["01A"])
    assert memory.catalogue.current(space, ["tea"], [], sections=True) == ({"tea": head}, {})


def test_a_rating_stays_until_the_page_is_written(catalogue: Catalogue, space: str) -> None:
    catalogue.put(space, PageHead("tea", 1, title="Tea"), over=None)
    rated = PageHead(
        "tea", 1, title="Tea", importance=0.7, in_degree=3, neighbours=(Neighbour("b", "learned", 0.5),)
    )
    catalogue.rate(space, replace(rated, title="not stored"))
    assert catalogue.head(space, "tea") == rated
    catalogue.put(space, replace(rated, rev=2), over=catalogue.head(space, "tea"))
    catalogue.rate(space, replace(rated, importance=0.1))
    assert catalogue.head(space, "tea") == replace(rated, rev=2)
