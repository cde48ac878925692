from threading import Thread
from typing import Any

import pytest

from remembrancer.adapters.dynamodb import Memory
from remembrancer.core.catalogue import SpaceHead
from remembrancer.errors import Invalid
from remembrancer.ports import Spaces


@pytest.fixture
def spaces(memory: Memory) -> Spaces:
    return memory.spaces


def test_a_new_space_has_the_defaults(spaces: Spaces, space: str) -> None:
    assert spaces.head(space) == SpaceHead(space)


def test_changed_fields_come_back_and_the_others_stay(spaces: Spaces, space: str) -> None:
    spaces.update(space, {"zone": "Asia/Tokyo", "enabled": False, "units": 7, "years": [2024, 2025]})
    spaces.update(space, {"lanes": {"core": ("a", "b"), "hot": ()}, "common": ("tea",), "units": 0})
    spaces.update(space, {"last_run": {"id": "01", "at_ms": 5, "share": 0.5, "frame": None}})
    assert spaces.head(space) == SpaceHead(
        space,
        rev=3,
        zone="Asia/Tokyo",
        enabled=False,
        years=(2024, 2025),
        lanes={"core": ("a", "b"), "hot": ()},
        common=("tea",),
        last_run={"id": "01", "at_ms": 5, "share": 0.5, "frame": None},
    )


@pytest.mark.parametrize("name", ["space", "rev", "pk", "unknown"])
def test_a_field_that_is_not_to_be_set_is_refused(spaces: Spaces, space: str, name: str) -> None:
    with pytest.raises(Invalid) as caught:
        spaces.update(space, {name: 1})
    assert caught.value.field == name
    with pytest.raises(Invalid):
        spaces.set_entry(space, name, "key", 1)


def test_keys_of_a_map_are_set_one_by_one(spaces: Spaces, space: str) -> None:
    spaces.set_entry(space, "views", "threads", "v1")
    spaces.set_entry(space, "views", "a.b #c :d", "v2")
    spaces.set_entry(space, "settings", "caps", {"inject": 5, "share": 0.5})
    spaces.set_entry(space, "views", "threads", "v3")
    head = spaces.head(space)
    assert head.views == {"threads": "v3", "a.b #c :d": "v2"}
    assert head.settings == {"caps": {"inject": 5, "share": 0.5}}


def test_writers_of_different_keys_do_not_undo_each_other(spaces: Spaces, space: str) -> None:
    names = [f"view-{n}" for n in range(12)]
    threads = [Thread(target=spaces.set_entry, args=(space, "views", name, name)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    head = spaces.head(space)
    assert head.views == {name: name for name in names}
    assert head.rev == len(names)


def test_the_list_of_spaces_keeps_when_a_space_began(spaces: Spaces, space: str) -> None:
    assert spaces.note(space, pending=2, lines=3, now_ms=1_000) == 0
    assert spaces.note(space, pending=5, lines=9, now_ms=2_000) == 3
    assert spaces.note(space, pending=0, lines=0, now_ms=3_000) == 9
    lines = every_line(spaces, limit=2)
    assert [line for line in lines if line["space"] == space] == [
        {"space": space, "pending": 0, "lines": 0, "last_write_ms": 3_000, "created_ms": 1_000}
    ]


def test_the_list_of_spaces_is_complete(spaces: Spaces, space: str) -> None:
    mine = [f"{space}-{n}" for n in range(5)]
    for name in mine:
        spaces.note(name, pending=1, lines=1, now_ms=1)
    for limit in (1, 3, 1_000):
        names = [line["space"] for line in every_line(spaces, limit=limit)]
        assert [name for name in names if name.startswith(f"{space}-")] == mine
        assert len(names) == len(set(names))


def test_a_foreign_cursor_is_refused(spaces: Spaces) -> None:
    with pytest.raises(Invalid) as caught:
        spaces.all(limit=1, cursor="WyJydW5zL3giLCJhIl0")
    assert caught.value.field == "cursor"


def every_line(spaces: Spaces, *, limit: int) -> list[dict[str, Any]]:
    lines, cursor = spaces.all(limit=limit)
    while cursor:
        more, cursor = spaces.all(limit=limit, cursor=cursor)
        lines += more
    return lines
