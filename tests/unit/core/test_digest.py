from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.digest import Digest
from remembrancer.core.digest_file import decode, encode
from remembrancer.core.entries import Entry
from remembrancer.core.stamps import apply
from remembrancer.core.walk import walk

DAY_MS = 86_400_000


def filed(id: str, text: str, **more: Any) -> Entry:
    return Entry(**{"id": id, "text": text, "filed_by": "R1", **more})


def digest_of(*entries: Entry) -> Digest:
    digest = Digest()
    for entry in entries:
        digest.take(entry)
    return digest


MILK = filed("a", "Rachel takes oat milk in her coffee", at_ms=DAY_MS)
TABS = filed("b", "Nadia: the linter of Atlas wants tabs", kind="procedural")
TRIP = filed("c", "We met Priya in Lisbon", kind="episodic", at_ms=5 * DAY_MS)


def test_pending_and_superseded_entries_are_not_in_it() -> None:
    digest = digest_of(MILK, replace(TABS, filed_by=""), replace(TRIP, superseded_by="x"))
    assert list(digest.rows) == ["a"]


def test_an_entry_that_comes_and_goes_leaves_the_counts_as_they_were() -> None:
    digest = digest_of(MILK, TABS)
    digest.take(TRIP)
    digest.take(replace(TRIP, superseded_by="x"))
    plain = digest_of(MILK, TABS)
    assert digest.tally.units == 2
    assert (digest.names.cast(), +digest.years) == (plain.names.cast(), plain.years)
    assert encode(digest) == encode(plain)


def test_taking_the_same_entry_again_changes_nothing() -> None:
    digest = digest_of(MILK, TABS)
    before = encode(digest)
    assert not digest.take(replace(MILK, score=0.5))
    assert encode(digest) == before
    assert digest.take(replace(MILK, last_confirmed_ms=9))
    assert digest.tally.units == 2


def test_an_edited_or_unpinned_entry_is_to_be_compared_again() -> None:
    digest = digest_of(MILK, replace(TABS, pinned=True))
    digest.take(replace(MILK, text="Rachel takes soy milk in her coffee", edited=True))
    digest.take(TABS)
    assert digest.changed == {"a", "b"}
    digest.take(replace(TABS, superseded_by="x"))
    assert digest.changed == {"a"}


def test_alike_are_equal_texts_of_any_kind_and_day_and_near_ones_of_the_same() -> None:
    digest = digest_of(
        MILK,
        replace(MILK, id="same", kind="procedural"),
        replace(MILK, id="near", text="Rachel takes oat milk in her coffees"),
        replace(MILK, id="other kind", text="Rachel takes oat milk in her coffees", kind="procedural"),
        TABS,
    )
    new = Entry("n", "rachel takes  oat milk in her coffee")
    assert digest.alike([new]) == {"a", "same", "near"}
    twice = digest_of(TRIP, replace(TRIP, id="d", at_ms=9 * DAY_MS, text="We met Priya in Lisbon!"))
    assert twice.alike([replace(TRIP, id="n", text="We met Priya in Lisbon.")]) == {"c"}
    assert twice.alike([]) == set()


def test_it_survives_its_file() -> None:
    digest = digest_of(MILK, TABS, TRIP)
    digest.made_ms, digest.read_ms, digest.changed = 5, 7, {"a"}
    again = decode(encode(digest))
    assert again == digest
    assert decode(encode(Digest())) == Digest()


def test_a_file_of_another_version_or_a_broken_one_is_none() -> None:
    body = encode(digest_of(MILK, TABS))
    for broken in (b"", b"{}", body[:-1], body + b"x", body.replace(b'"format":[3', b'"format":[0')):
        assert decode(broken) is None


sentences = st.builds(
    "{} default {} is {} for the user in the{} office".format,
    st.sampled_from(["The", "the", "Any"]),
    st.sampled_from(["theme", "zone", "font 3"]),
    st.sampled_from(["dark", "light", "not dark", "Dark"]),
    st.sampled_from(["", " main", " old"]),
)
rows = st.tuples(sentences, st.sampled_from(["semantic", "episodic"]), st.integers(0, 3), st.booleans())


@given(st.lists(rows, max_size=12), st.lists(rows, max_size=6))
def test_a_pass_over_what_is_alike_decides_as_one_over_everything(old: list[Any], new: list[Any]) -> None:
    known = [
        filed(f"o{n}", text, kind=kind, at_ms=day * DAY_MS, pinned=pinned)
        for n, (text, kind, day, pinned) in enumerate(old)
    ]
    known = [
        entry
        for entry in {**{e.id: e for e in known}, **{e.id: e for e in apply(known, walk(known), "R", 0)}}.values()
        if entry.active
    ]
    coming = [
        Entry(f"n{n}", text, kind=kind, at_ms=day * DAY_MS, pinned=pinned)
        for n, (text, kind, day, pinned) in enumerate(new)
    ]
    fresh = {entry.id for entry in coming}
    alike = digest_of(*known).alike(coming)
    near = [entry for entry in known if entry.id in alike]
    assert walk([*near, *coming], fresh=fresh) == walk([*known, *coming], fresh=fresh)
