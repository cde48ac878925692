from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.batches import batches, together
from remembrancer.core.entries import Entry
from remembrancer.core.place import Target


def to(slug: str) -> Target:
    return Target(slug, slug, "Facts")


def test_a_batch_names_pages_with_what_comes_and_what_leaves() -> None:
    found = batches({"2": to("a"), "1": to("a"), "3": to("b")}, {"b": ["9", "8"], "c": ["7"]})
    assert found == [
        [
            {"slug": "a", "entries": ["1", "2"], "leaving": []},
            {"slug": "b", "entries": ["3"], "leaving": ["8", "9"]},
            {"slug": "c", "entries": [], "leaving": ["7"]},
        ]
    ]
    assert batches({}, {}) == []


def test_batches_fill_up_to_their_size_and_a_page_is_never_torn() -> None:
    targets = {f"{n:02d}": to("big" if n < 5 else f"p{n}") for n in range(9)}
    found = batches(targets, {}, size=3)
    assert [[page["slug"] for page in batch] for batch in found] == [["big"], ["p5", "p6", "p7"], ["p8"]]


def test_a_page_and_its_child_pages_are_in_one_batch() -> None:
    targets = {"1": to("a/b"), "2": to("a-b"), "3": to("a"), "4": to("z")}
    found = batches(targets, {"a/b/c": ["5"]}, size=1)
    assert [[page["slug"] for page in batch] for batch in found] == [["a", "a/b", "a/b/c"], ["a-b"], ["z"]]


def test_twins_go_to_one_page_each_in_its_section() -> None:
    entries = {"1": Entry("1", "x"), "2": Entry("2", "x", kind="procedural")}
    targets = {"1": to("a"), "2": Target("b", "b", "How to")}
    assert together(targets, [("1", "2"), ("1", "absent")], entries)["2"] == Target("a", "a", "How to")


slugs = st.sampled_from(["a", "a/b", "a/b/c", "b", "c/d", "c", "e"])


@given(
    st.dictionaries(st.sampled_from("123456789"), slugs), st.dictionaries(slugs, st.just(["x"])), st.integers(1, 4)
)
def test_every_page_is_in_one_batch_and_every_entry_comes_once(
    targets: dict[str, str], leaving: dict[str, list[str]], size: int
) -> None:
    found = batches({id: to(slug) for id, slug in targets.items()}, leaving, size=size)
    pages = [page["slug"] for batch in found for page in batch]
    assert sorted(pages) == sorted({*targets.values(), *leaving})
    assert {id: page["slug"] for batch in found for page in batch for id in page["entries"]} == targets
    where = {page["slug"]: n for n, batch in enumerate(found) for page in batch}
    for slug in pages:
        for other in pages:
            if other.startswith(f"{slug}/"):
                assert where[other] == where[slug]
