from remembrancer.core.entries import Entry
from remembrancer.core.filing import file_into, unfile
from remembrancer.core.hubs import children, is_hub, listing, route, split
from remembrancer.core.pages import Page, parse, render
from remembrancer.core.place import Target

ANNA = Target("people/anna", "Anna", "Facts")
MONTH = Target("notes/semantic/2026-08", "Facts of August 2026", "Facts")


def fact(n: int, kind: str = "semantic") -> Entry:
    return Entry(f"01K1{n:022d}", f"Fact number {n} about the matter", kind=kind, at_ms=n)


def through_a_file(page: Page) -> Page:
    return parse(page.slug, render(page))


def test_a_page_that_fits_stays_as_it_is() -> None:
    page = file_into(None, ANNA, [fact(1)])
    assert split(page) == [page]


def test_several_sections_become_child_pages_with_links_both_ways() -> None:
    page = file_into(None, ANNA, [fact(1), fact(2, "episodic"), fact(3, "procedural")])
    hub, *made = map(through_a_file, split(page, max_chars=100))
    assert [child.slug for child in made] == ["people/anna/facts", "people/anna/timeline", "people/anna/how-to"]
    assert children(hub) == [child.slug for child in made]
    assert is_hub(hub)
    assert hub.title == "Anna"
    assert hub.body.strip() == (
        "What is known about Anna stands on the pages below.\n\n## Pages\n\n"
        "- [[people/anna/facts|Anna: Facts]]\n- [[people/anna/timeline|Anna: Timeline]]\n"
        "- [[people/anna/how-to|Anna: How to]]"
    )
    assert made[0].title == "Anna: Facts"
    assert made[0].body.strip().startswith("Part of [[people/anna|Anna]].\n\n## Facts\n\n- Fact number 1")
    cited = "".join(child.body for child in made)
    assert all(cited.count(fact(n).id) == 1 for n in (1, 2, 3))


def test_facts_for_a_hub_go_to_its_child_page() -> None:
    page = file_into(None, ANNA, [fact(1), fact(2, "episodic")])
    hub, facts, _ = map(through_a_file, split(page, max_chars=100))
    assert route(page, ANNA) == ANNA
    assert route(hub, ANNA) == Target("people/anna/facts", "Anna: Facts", "Facts")
    grown = file_into(facts, route(hub, ANNA), [fact(4)])
    assert grown.body.index(fact(1).id) < grown.body.index(fact(4).id)
    assert render(unfile(grown, [fact(4).id])) == render(facts)


def test_a_new_child_is_listed_once() -> None:
    page = file_into(None, ANNA, [fact(1), fact(2, "episodic")])
    hub = through_a_file(split(page, max_chars=100)[0])
    target = route(hub, Target("people/anna", "Anna", "How to"))
    listed = listing(hub, [(target.slug, target.title)])
    assert children(listed) == ["people/anna/facts", "people/anna/timeline", "people/anna/how-to"]
    assert listing(listed, [(target.slug, target.title)]) is listed


def test_one_long_section_becomes_numbered_parts_that_grow_side_by_side() -> None:
    page = file_into(None, MONTH, [fact(n) for n in range(40)])
    hub, *parts = map(through_a_file, split(page, max_chars=1_500))
    assert [part.slug for part in parts] == [f"notes/semantic/2026-08/part-{n}" for n in range(1, len(parts) + 1)]
    assert len(parts) > 1
    assert all(len(part.body) <= 1_500 for part in parts)
    last = route(hub, MONTH)
    assert last.slug == parts[-1].slug
    assert last.title == f"Facts of August 2026: part {len(parts)}"
    full = through_a_file(file_into(parts[-1], last, [fact(n) for n in range(40, 60)]))
    listed, same, *following = split(full, max_chars=1_500, hub=hub)
    assert same.slug == full.slug
    assert children(listed) == [part.slug for part in [*parts, *following]]
    assert following[0].slug == f"notes/semantic/2026-08/part-{len(parts) + 1}"
    everything = "".join(part.body for part in [*parts[:-1], same, *following])
    assert all(everything.count(fact(n).id) == 1 for n in range(60))


def test_a_page_of_a_person_and_a_hub_are_never_split() -> None:
    theirs = Page("x", "## A\n\ntext\n\n## B\n\ntext\n", {"title": "X"})
    assert split(theirs, max_chars=5) == [theirs]
    hub = split(file_into(None, ANNA, [fact(1), fact(2, "episodic")]), max_chars=100)[0]
    assert split(hub, max_chars=5) == [hub]
