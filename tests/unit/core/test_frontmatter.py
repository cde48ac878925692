from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.core.frontmatter import KEYS, MAX_BYTES, dump, load, opens, split
from remembrancer.errors import Invalid, TooLarge
from tests.golden import cases

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    [
        "2026-06-10",
        "12:30",
        "yes",
        "true",
        "null",
        "~",
        "010",
        "1.10",
        "1.5",
        "7",
        "-0",
        "---",
        "a\n---\nb",
        "<<",
        "a\x85b",
        "\u2028",
        "*x",
    ]
)
scalars = words | st.booleans() | st.none() | st.integers(-(10**17), 10**17) | st.sampled_from([0.5, -1.25, 3.0])
values = st.recursive(
    scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(words, v, max_size=3), max_leaves=8
)
known = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("title", "summary", "kind", "source", "origin_date", "current"), words),
        **{key: st.lists(words, max_size=3) for key in ("tags", "links", "ref_urls")},
        "edges": st.lists(words | words.map(lambda to: {"to": to, "why": "x"}), max_size=3),
        "pinned": st.booleans(),
        "entries": st.dictionaries(words, values, max_size=2),
    },
)


@pytest.mark.parametrize("case", cases("frontmatter"), ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    raw = case["input"]["text"]
    block, body = split(raw)
    found = {"yaml": block, "body": body, "unterminated": block is None and opens(raw)}
    assert found == case["expect"]


@pytest.mark.parametrize(
    ("raw", "block", "body"),
    [
        ("---\r\ntitle: A\r\n---\r\nbody\r\n", "title: A", "body\r\n"),
        ("---\na: 1\n---\nx\n---\ny\n", "a: 1", "x\n---\ny\n"),
        ("---\n\n---\nbody", "", "body"),
        ("---\ntitle: A\nbody\n", None, "---\ntitle: A\nbody\n"),
        ("---\n---\nbody", None, "---\n---\nbody"),
        ("---\na: 1\n--- \nb", None, "---\na: 1\n--- \nb"),
        ("\n---\na: 1\n---\n", None, "\n---\na: 1\n---\n"),
        ("----\na: 1\n----\nb", None, "----\na: 1\n----\nb"),
    ],
)
def test_a_block_stands_at_the_start_between_bare_fences(raw: str, block: str | None, body: str) -> None:
    assert split(raw) == (block, body)


@given(known, st.dictionaries(words.filter(lambda key: key and key not in KEYS), values, max_size=3))
def test_what_is_written_is_read_again(fields: dict[str, Any], extra: dict[str, Any]) -> None:
    text = dump(fields, extra)
    assert load(text) == (fields, extra, ())
    assert dump(*load(text)[:2]) == text
    assert not text or split(f"---\n{text}---\nbody") == (text.removesuffix("\n"), "body")


def test_a_value_is_the_text_that_stands_there() -> None:
    fields, extra, problems = load(
        "title: 2026\norigin_date: 2026-06-10\ncurrent: yes\npinned: yes\nat: 12:30\nversion: 1.10\n"
        "id: 010\nflag: on\nday: 2026-06-10\ncount: 3\nratio: 1.5\nreal: true\nlink: '[[a]]'\n"
    )
    assert fields == {"title": "2026", "origin_date": "2026-06-10", "current": "yes", "pinned": True}
    assert extra == {
        **{"at": "12:30", "version": "1.10", "id": "010", "flag": "on", "day": "2026-06-10"},
        **{"count": 3, "ratio": 1.5, "real": True, "link": "[[a]]"},
    }
    assert problems == ()
    assert dump({}, extra).startswith("at: 12:30\nversion: 1.10\nid: 010\nflag: on\nday: 2026-06-10\ncount: 3\n")


def test_known_keys_come_first_and_in_their_order() -> None:
    text = dump(
        {"origin_date": "2026-06-10", "tags": ["tea"], "title": "Ünï 🍕"}, {"zeta": 1, "alpha": [1, {"b": None}]}
    )
    assert text == ("title: Ünï 🍕\ntags:\n- tea\norigin_date: 2026-06-10\nzeta: 1\nalpha:\n- 1\n- b: null\n")
    assert dump({}, {}) == ""


def test_a_bad_value_drops_its_key_only_and_is_not_lost() -> None:
    text = "title: [a]\ntags:\n  a: b\npinned: perhaps\nedges: 5\nkind: note\n"
    fields, extra, problems = load(text)
    assert fields == {"kind": "note"}
    assert problems == (
        "fields ignored: title is not a text",
        "fields ignored: tags is not a list of texts",
        "fields ignored: pinned is not true or false",
        "fields ignored: edges is not a list of slugs, or of mappings with `to`",
    )
    assert load(dump(fields, extra)) == (fields, extra, problems)
    with pytest.raises(Invalid, match="title"):
        load(text, strict=True)


def test_a_key_without_a_value_is_absent() -> None:
    assert load("kind:\ntitle: null\ntags:\n-\n- a\n") == ({"tags": ["a"]}, {}, ())
    assert load("") == ({}, {}, ())


def test_one_text_is_a_list_of_one() -> None:
    assert load("tags: tea\nedges: a/b\n")[0] == {"tags": ["tea"], "edges": ["a/b"]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('title: A\npath: "C:\\dir"', "line 3: frontmatter is not YAML"),
        ("title: *x*", "line 2: "),
        ("title: a\nlinks:\n- [[a]]b", "line 4: frontmatter is not YAML"),
        ("title: 'it's", "line 2: frontmatter is not YAML"),
        ("a: &x [1]\nb: *x", "line 3: aliases are not read"),
        ("a: &x [*x]", "line 2: aliases are not read"),
        ("a: !!python/object:os.system x", "line 2: tags are not read"),
        ("a: 1\na: 2", "line 2: a key stands twice"),
        ("a: {b: 1, b: 2}", "a key stands twice"),
        ("? [a]\n: b", ""),
        ("~: b", "a key is empty"),
        ("just text", "frontmatter is not a mapping"),
        ("- a", "frontmatter is not a mapping"),
        ("a: 1\n--- x\nb: 1", ""),
        ("a: \x07", "frontmatter is not YAML"),
        ("a: " + "[" * 21 + "]" * 21, "deeper than 20 levels"),
        ("a: " + "[" * 30_000, ""),
        ("a: \ud800", "frontmatter is not YAML"),
        ("a: " + "x" * MAX_BYTES, "at most 32768 bytes"),
    ],
)
def test_what_cannot_be_read_is_refused_with_line_and_reason(text: str, reason: str) -> None:
    with pytest.raises(Invalid) as refused:
        load(text)
    assert reason in refused.value.message
    assert refused.value.field == "frontmatter"


def test_no_reason_repeats_what_the_page_says() -> None:
    for text in ("title: *secret", "a: !secret x", "a: 1\nsecret\nb: 2", "a: %secret", 'a: "\\secret"'):
        with pytest.raises(Invalid) as refused:
            load(text)
        assert "secret" not in refused.value.message


def test_a_block_that_could_not_be_read_again_is_not_written() -> None:
    with pytest.raises(TooLarge):
        dump({"summary": "x" * MAX_BYTES}, {})


@given(st.text(st.sampled_from("ab:-[]{}&*!|>'\"#?,%\n \t"), max_size=60) | st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        fields, extra, problems = load(text)
    except Invalid:
        return
    assert load(dump(fields, extra)) == (fields, extra, problems)


def test_a_line_end_of_another_kind_inside_a_value_is_kept() -> None:
    for text in ("a\x85b", "\u2028", "a\u2029\nb"):
        assert load(dump({"title": text}, {})) == ({"title": text}, {}, ())
