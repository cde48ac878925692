from hypothesis import given

from remembrancer.core.memory import Injected
from remembrancer.core.pointer import LEAD, MOST, pointer_block
from remembrancer.core.sessions import Resident
from tests.unit.core.test_escaping import TAG, TEXTS


def unit(name: str, *, slug: str = "", section: str = "", resident: bool = True, score: float = 1.0) -> Injected:
    entry = "" if slug else name
    return Injected(name, slug, entry, section, (), "match", score, 0, 0, resident)


def held(*names: str, pruned: bool = False) -> dict[str, Resident]:
    return {name: Resident(name, 1, 1, 1, pruned=pruned) for name in names}


def test_resident_units_are_listed_by_path_once() -> None:
    units = [
        unit("a§K~1", slug="a", section="K"),
        unit("a§K~2", slug="a", section="K"),
        unit("a§~3", slug="a"),
        unit("01A"),
        unit("b§~4", slug="b", resident=False),
    ]
    assert pointer_block(units, held(*(u.id for u in units))) == (
        f"<memory_pointer>\n{LEAD}\nmemory/concepts/a.md § K\n"
        "memory/concepts/a.md\nmemory/entries/01A\n</memory_pointer>"
    )


def test_only_the_best_few_are_listed_best_first() -> None:
    units = [unit(f"01{n}", score=float(n % 7)) for n in range(7)]
    lines = pointer_block(units, held(*(u.id for u in units))).split("\n")
    assert lines[2:-1] == [f"memory/entries/01{6 - n}" for n in range(MOST)]


def test_what_the_record_does_not_hold_is_not_pointed_at() -> None:
    assert pointer_block([unit("01A"), unit("01B")], held("01A", pruned=True)) == ""
    assert pointer_block([], held("01A")) == ""


@given(TEXTS, TEXTS)
def test_no_path_closes_the_block_or_makes_a_line(slug: str, key: str) -> None:
    text = pointer_block([unit("u", slug=slug or "s", section=key)], held("u"))
    assert len(text.splitlines()) == 4
    assert not TAG.search(text.removeprefix("<memory_pointer>").removesuffix("</memory_pointer>"))
