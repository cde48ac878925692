import re

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.buffer import read
from remembrancer.core.entries import Entry
from remembrancer.core.escaping import unescape
from remembrancer.core.info import BUFFER_CHARS, in_buffer, info_block
from tests.unit.core.test_escaping import TAG, TEXTS

AT = 1_785_888_420_000  # 2026-08-05 00:07 UTC


def entry(number: int, text: str) -> Entry:
    return Entry(f"01{number:04}", text, at_ms=AT)


def parts(block: str) -> dict[str, str]:
    inner = block.removeprefix("<info>\n").removesuffix("\n</info>")
    found = re.split(r"(?:\A|\n\n)## ([A-Z][a-z]+)\n\n", inner)
    return dict(zip(found[1::2], map(unescape, found[2::2]), strict=True))


def test_all_parts_stand_in_order() -> None:
    names = ("persona", "user", "facts", "context")
    block = info_block(
        dict.fromkeys(names, "x"), dict.fromkeys(("recent", "threads", "essentials"), "y"), [entry(1, "z")]
    )
    order = ["Persona", "User", "Facts", "Context", "Essentials", "Threads", "Recent", "Buffer"]
    assert list(parts(block)) == order
    assert block.endswith("## Buffer\n\n- [Aug 5, 12:07 AM] z\n</info>")


def test_empty_parts_are_left_out_and_nothing_gives_no_block() -> None:
    assert parts(info_block({"user": " \n"}, {"recent": "r"}, [])) == {"Recent": "r"}
    assert info_block({"persona": ""}, {}, []) == ""


def test_the_newest_whole_entries_fit_with_one_notice() -> None:
    entries = [entry(n, f"fact {n}\nmore\n\neven more") for n in range(50)]
    shown = parts(info_block({}, {}, entries))["Buffer"]
    assert shown.startswith(
        "(17 older entries are not shown)\n- [Aug 5, 12:07 AM] fact 49\n  more\n\n  even more\n"
    )
    assert [b.text.split("\n")[0] for b in read(shown)[1:]] == [f"fact {n}" for n in range(49, 16, -1)]
    assert [e.text.split("\n")[0] for e in in_buffer(entries)] == [f"fact {n}" for n in range(49, 16, -1)]


def test_exactly_a_hundred_lines_need_no_notice() -> None:
    assert "not shown" not in info_block({}, {}, [entry(n, "x") for n in range(100)])
    assert "(1 older entry is not shown)" in info_block({}, {}, [entry(n, "x") for n in range(101)])


def test_an_over_long_newest_entry_shows_opening_mark_and_tail() -> None:
    long = entry(2, "\n".join(f"line {n}" for n in range(30)))
    shown = parts(info_block({}, {}, [entry(1, "old"), long], lines=10))["Buffer"].split("\n")
    assert shown[:3] == ["(1 older entry is not shown)", "- [Aug 5, 12:07 AM] line 0", "  (trimmed: 21 lines)"]
    assert shown[3:] == [f"  line {n}" for n in range(22, 30)]


def test_a_newest_entry_of_too_many_characters_shows_its_first_and_last_ones() -> None:
    long = entry(2, "begin " + "x" * 30_000 + " end")
    shown = parts(info_block({}, {}, [entry(1, "old"), long]))["Buffer"].split("\n")
    assert shown[0] == "(1 older entry is not shown)"
    assert shown[1].startswith("- [Aug 5, 12:07 AM] begin xxx")
    left_out = 20 + 30_010 - len(shown[1]) - len(shown[3].strip())
    assert shown[2] == f"  (trimmed: {left_out:,} characters)"
    assert shown[3].startswith("  xxx")
    assert shown[3].endswith(" end")
    assert len("\n".join(shown)) < BUFFER_CHARS + 100


def test_entries_that_have_too_many_characters_together_are_left_out_whole() -> None:
    entries = [entry(n, f"{n} " + "x" * 3_000) for n in range(10)]
    assert [e.text[0] for e in in_buffer(entries)] == ["9", "8", "7"]


def test_an_entry_that_does_not_fit_ends_the_buffer() -> None:
    entries = [entry(1, "small"), entry(2, "\n".join("x" * 9)), entry(3, "new")]
    assert [e.text for e in in_buffer(entries, 5)] == ["new"]


def test_a_long_view_is_cut_at_a_line_end_and_says_so() -> None:
    text = "\n".join(f"- {n:04} {'x' * 40}" for n in range(300))
    shown = parts(info_block({}, {"essentials": text}, []))["Essentials"]
    body, _, mark = shown.rpartition("\n")
    assert len(body) <= 10_000
    assert text.startswith(body + "\n")
    assert mark == f"(trimmed: {len(text) - len(body):,} more characters in views/essentials.md)"


def test_a_view_of_one_long_line_is_cut_at_its_cap() -> None:
    shown = parts(info_block({"facts": "x" * 5_000}, {"recent": "y" * 2_001}, []))
    assert shown["Facts"].startswith("x" * 4_000 + "\n(trimmed: 1,000 ")
    assert shown["Recent"].startswith("y" * 2_000 + "\n(trimmed: 1 ")


@given(TEXTS, TEXTS, TEXTS)
def test_no_text_closes_the_block_or_forges_a_heading(user: str, recent: str, fact: str) -> None:
    block = info_block({"user": user}, {"recent": recent}, [entry(1, fact)])
    assert block.count("</info>") == 1
    assert not TAG.search(block.removeprefix("<info>").removesuffix("</info>"))
    assert set(parts(block)) <= {"User", "Recent", "Buffer"}
    assert parts(block).get("User", "") == user.strip()


@given(st.lists(st.integers(1, 12), max_size=30), st.integers(2, 20))
def test_the_buffer_never_shows_more_lines_than_its_cap(sizes: list[int], cap: int) -> None:
    block = info_block({}, {}, [entry(n, "\n".join("x" * size)) for n, size in enumerate(sizes)], lines=cap)
    lines = parts(block).get("Buffer", "").split("\n") if block else []
    assert sum(bool(line.strip()) and "not shown" not in line for line in lines) <= cap
