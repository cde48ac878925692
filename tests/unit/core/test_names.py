import pytest

from remembrancer.core.entries import Entry
from remembrancer.core.names import Cast, heard


def entries(*texts: str) -> list[Entry]:
    return [Entry(f"01J{n}", text) for n, text in enumerate(texts)]


def cast(found: list[Entry]) -> Cast:
    return heard(found).cast()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Lunch with Rachel Kim at Northwind", ["Rachel Kim", "Northwind"]),
        ("Rachel Kim likes tea. She lives in Berlin", ["Rachel Kim", "Berlin"]),
        ("Prefers tea", []),
        ("Met on Monday in May", []),
        ("[[people/tom-reed]] called", []),
        ("Comes on Wednesdays to The Linden School with GPS", ["Linden School"]),
    ],
)
def test_names_are_capitalised_words_inside_a_sentence(text: str, names: list[str]) -> None:
    assert cast(entries(text)).of(Entry("01J", text)) == names


def test_a_first_name_stands_for_the_one_full_name_that_begins_with_it() -> None:
    who = cast(entries("Lunch with Ada Lind", "Tea with Ada", "Ada sings"))
    assert [who.of(entry) for entry in entries("Ada called", "Ask Ada Lind")] == [["Ada Lind"], ["Ada Lind"]]
    assert who.counts["Ada Lind"] == 3
    two = cast(entries("Lunch with Ada Lind", "Lunch with Ada Moe", "Tea with Ada"))
    assert two.of(Entry("01J", "Ada called")) == ["Ada"]


def test_a_word_at_the_start_of_a_sentence_is_a_name_only_when_it_is_one_elsewhere() -> None:
    assert cast(entries("Tea is ready")).of(Entry("01J", "Tea is ready")) == []
    assert cast(entries("Please call Tess", "Tess likes tea")).counts["Tess"] == 2


def test_where_things_are_is_a_place_and_no_person() -> None:
    who = cast(entries("Lives in Havnby", "The station at Havnby", "Rain in Havnby", "Tea with Tess", "Ask Tess"))
    assert not who.person("Havnby")
    assert who.person("Tess")
