import pytest

from remembrancer.core.prose import escaped, readable, spoken


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The [[kitchen-renovation]] starts", "The kitchen renovation starts"),
        ("[[kitchen-renovation]] starts", "Kitchen renovation starts"),
        ("Tiles come. [[kitchen-renovation]]", "Tiles come."),
        ("Tiles come [[kitchen-renovation]]", "Tiles come kitchen renovation"),
        ("Ask [[people/ada-lind]].", "Ask [[people/ada-lind|Ada Lind]]."),
        ("Ask Ada Lind. [[people/ada-lind]] [[kitchen-renovation]]", "Ask [[people/ada-lind|Ada Lind]]."),
        ("It is paid. [[budget]]", "It is paid. [[budget|Budget]]"),
        ("See the [[budget]] and [[budget#May]]", "See the [[budget]] and [[budget#May|budget]]"),
        ("See [[budget|the figures]]", "See [[budget|the figures]]"),
        ("The [[Kitchen Renovation|works]] go on", "The works go on"),
        ("[[Ada Lind]] called", "[[Ada Lind]] called"),
        ("`x`\n```\n[[kitchen-renovation]]\n```", "`x`\n```\n[[kitchen-renovation]]\n```"),
        ("open [[ bracket", "open [[ bracket"),
    ],
)
def test_links_go_by_name_and_none_leads_to_the_page_itself(text: str, shown: str) -> None:
    assert readable(text, "kitchen-renovation", "Kitchen renovation") == shown


def test_a_page_below_another_does_not_link_to_it_from_every_line() -> None:
    assert readable("The [[bridge]] is wet. [[bridge]]", "bridge/facts", "Bridge: Facts") == "The bridge is wet."


@pytest.mark.parametrize(
    ("row", "safe"),
    [
        ("# a", "\\# a"),
        ("> a", "\\> a"),
        ("- a", "\\- a"),
        ("12. a", "12\\. a"),
        ("#a", "#a"),
        ("12.5 m", "12.5 m"),
    ],
)
def test_a_mark_that_would_begin_something_else_is_escaped(row: str, safe: str) -> None:
    assert escaped(row) == safe


def test_people_are_called_by_name_and_other_pages_by_words() -> None:
    assert (spoken("people/ada-lind"), spoken("teams/data-platform")) == ("Ada Lind", "data platform")
