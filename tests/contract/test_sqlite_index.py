"""What is special to the index in a file: many processes, a removed file, another model, many units."""

import subprocess
import sys
from array import array
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import pytest

from remembrancer.adapters.sqlite_index import SqliteIndex, rows
from remembrancer.adapters.sqlite_index.words import expression, spread
from remembrancer.core.units import Unit
from remembrancer.errors import Invalid, Unavailable
from remembrancer.ports import Embedded, Lane, Search

VECTOR = array("f", [0.6, 0.8])
WRITER = """
import sys
from array import array
from remembrancer.adapters.sqlite_index import SqliteIndex
from remembrancer.core.units import Unit
from remembrancer.ports import Embedded
index = SqliteIndex(sys.argv[1], "model:1", 2)
vector = array("f", [0.6, 0.8])
for n in range(25):
    unit = Unit("entry", f"{sys.argv[2]}-{n}", 0, 1, "t", "heron", "heron", "t")
    assert index.put("s", [Embedded(unit, vector, vector)], gone=[(f"{sys.argv[2]}-gone", n, 1)]) == {}
"""


def embedded(parent: str, rev: int = 1) -> Embedded:
    return Embedded(Unit("entry", parent, 0, rev, "shown", "heron", "heron", "x"), VECTOR, VECTOR)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "below" / "index file.sqlite"


@pytest.fixture
def index(path: Path) -> Iterator[SqliteIndex]:
    made = SqliteIndex(f"sqlite://{path}", "model:1", 2)
    yield made
    made.close()


def test_many_processes_write_one_new_file(index: SqliteIndex, path: Path) -> None:
    path.parent.mkdir()
    command = [sys.executable, "-c", WRITER, f"sqlite://{path}"]
    running = [subprocess.Popen([*command, f"w{n}"]) for n in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    assert index.count("s") == 100
    assert len(index.search(Search("s", (Lane("bm25", text="heron"),))).hits) == 100


def test_threads_share_one_index(index: SqliteIndex) -> None:
    def turn(n: int) -> int:
        assert index.put("s", [embedded(f"p{n}")]) == {}
        return len(index.search(Search("s", (Lane("knn", vector=VECTOR),))).hits)

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(turn, range(40))) == 40


def test_a_removed_file_is_made_anew(index: SqliteIndex, path: Path) -> None:
    index.put("s", [embedded("old")])
    assert len(index.search(Search("s", (Lane("knn", vector=VECTOR),))).hits) == 1
    for one in path.parent.iterdir():
        one.unlink()
    assert index.search(Search("s", (Lane("knn", vector=VECTOR),))).hits == ()
    index.put("s", [embedded("new")])
    assert index.ids("s") == [("new", 0, 1)]


def test_a_file_of_another_model_is_refused(index: SqliteIndex, path: Path) -> None:
    index.put("s", [embedded("a")])
    other = SqliteIndex(f"sqlite://{path}", "model:2", 2)
    with pytest.raises(Invalid) as caught:
        other.put("s", [embedded("b")])
    assert caught.value.field == "identity"


def test_a_file_that_is_no_index_is_unavailable(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.sqlite"
    wrong.write_bytes(b"not a database at all " * 100)
    with pytest.raises(Unavailable):
        SqliteIndex(f"sqlite://{wrong}", "model:1", 2).count("s")


def test_a_failed_write_leaves_nothing_behind(index: SqliteIndex) -> None:
    broken = Embedded(Unit("entry", "b", 0, 1, b"no text", "x", "x", "x"), VECTOR, VECTOR)  # type: ignore[arg-type]
    index.put("s", [embedded("a", rev=2)])
    with pytest.raises(TypeError):
        index.put("s", [embedded("c"), embedded("a", rev=3), broken])
    assert index.ids("s") == [("a", 0, 2)]


def test_an_erased_space_starts_afresh(index: SqliteIndex) -> None:
    index.put("s", [embedded("a", rev=5)], gone=[("b", 0, 5)])
    assert index.drop_space("s") == 1
    index.put("s", [embedded("a"), embedded("b")])
    assert index.ids("s") == [("a", 0, 1), ("b", 0, 1)]


def test_a_write_into_a_large_space_does_not_read_all_of_it_again(index: SqliteIndex) -> None:
    index.put("s", [embedded(f"p{n}") for n in range(300)])
    search = Search("s", (Lane("knn", vector=VECTOR, size=1),))
    with patch.object(rows, "unpacked", wraps=rows.unpacked) as unpacked:
        for change in ([], [embedded("p7", rev=2)], [embedded("new"), embedded("p8", rev=2)]):
            index.put("s", change)
            index.search(search)
    assert [len(call.args[0]) for call in unpacked.call_args_list] == [300, 1, 2]


@pytest.mark.parametrize(
    ("text", "spreaded"),
    [
        ("\u6771\u4eac\u90fd\u3067 tea", " \u6771\u4eac \u4eac\u90fd \u90fd\u3067  tea"),
        ("\u5c71", " \u5c71 "),
        ("\uff21\uff22 Ann's", "AB Ann"),
    ],
)
def test_text_is_spread_for_the_tokenizer(text: str, spreaded: str) -> None:
    assert spread(text) == spreaded


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("see GOALS.md, twice see", '"see" OR "GOALS.md" OR "twice"'),
        ('"a" AND b*', '"a" OR "AND" OR "b"'),
        ("\u6771\u4eac\u90fd", '"\u6771\u4eac" OR "\u4eac\u90fd"'),
        ("?!", ""),
    ],
)
def test_a_query_is_quoted_words(text: str, query: str) -> None:
    assert expression(text) == query
