from tests.system import System

GOOD = "---\ntitle: Good\nsource: import:notes\n---\n\nA good page about {0}.\n"


def ingest(system: System, *pages: tuple[str, str], **more: object) -> dict[str, object]:
    body = {"pages": [{"slug": slug, "content": content} for slug, content in pages], **more}
    found: dict[str, object] = system.post("ingest", body)
    return found


def test_every_page_is_judged_on_its_own_and_in_order(system: System) -> None:
    ingest(system, ("here", GOOD.format("this")))
    found = ingest(
        system,
        ("good", GOOD.format("links to [[other]] and [[nowhere]]")),
        ("Bad Slug", "text"),
        ("good", "again"),
        ("here", "other bytes"),
        ("broken", "---\ntitle: 'open\n---\nBody."),
        ("skills/x", "text"),
        ("other", GOOD.format("others")),
    )
    results: list[dict[str, object]] = found["results"]  # type: ignore[assignment]
    actions = [r["action"] for r in results]
    assert actions == ["written", "invalid", "invalid", "skipped_exists", "invalid", "invalid", "written"]
    assert results[0]["warnings"] == ["link to a page that does not exist: nowhere"]
    assert (found["written"], found["skipped"], found["invalid"]) == (2, 1, 4)
    assert all("error" in r for r in results if r["action"] == "invalid")
    listed = [item["slug"] for item in system.get("memory/pages")["items"]]
    assert listed == ["good", "here", "other"]


def test_bytes_are_stored_as_sent(system: System) -> None:
    raw = "---\ntags: [b,   a]\ntitle:   'Kept'\nown: 1 # comment\n---\n\n\nText.\r\n\n- item\n"
    ingest(system, ("kept", raw))
    assert system.call("GET", "/v1/memory/pages/kept?format=markdown").text == raw


def test_a_dry_run_writes_nothing_and_says_the_same(system: System) -> None:
    dry = ingest(system, ("a", GOOD.format("a")), ("b", "---\nx: [\n---\n"), dryRun=True)
    assert (dry["written"], dry["invalid"], dry["dry_run"]) == (1, 1, True)
    assert system.get("memory/pages")["items"] == []


def test_overwrite_replaces_but_never_empties(system: System) -> None:
    ingest(system, ("a", GOOD.format("one")))
    assert ingest(system, ("a", GOOD.format("two")), overwrite=True)["written"] == 1
    assert "two" in system.get("memory/pages/a")["body"]
    assert ingest(system, ("a", "---\ntitle: Empty\n---\n"), overwrite=True)["invalid"] == 1
    assert "two" in system.get("memory/pages/a")["body"]


def test_two_hundred_pages_in_one_call(system: System) -> None:
    found = ingest(system, *((f"n/{n}", GOOD.format(n)) for n in range(200)))
    assert found["written"] == 200
    listed = system.get("memory/pages?limit=150")
    rest = system.get(f"memory/pages?limit=150&cursor={listed['cursor']}")
    assert len(listed["items"]) + len(rest["items"]) == 200
    assert rest["cursor"] is None


def test_unicode_pages_are_found_by_their_words(system: System) -> None:
    texts = {
        "zh": "今天玩成语接龙游戏。",
        "ja": "今日は成語しりとりをした。",
        "ko": "오늘은 끝말잇기를 했다.",
        "ru": "Сегодня мы чинили старый забор.",
        "de": "Der Müllabfuhrkalender hängt am Kühlschrank.",
        "id": "The build needs C++ and GOALS.md at v3.1.",
    }
    ingest(system, *((slug, f"---\ntitle: {slug}\nsource: x\n---\n\n{text}\n") for slug, text in texts.items()))
    system.pump()
    for query, slug in (
        ("成语接龙", "zh"),
        ("しりとり", "ja"),
        ("끝말잇기", "ko"),
        ("старый забор", "ru"),
        ("Kühlschrank", "de"),
        ("GOALS.md", "id"),
    ):
        assert system.post("recall", {"query": query, "what": "passages"})["results"][0]["slug"] == slug, query


def test_too_many_sections_are_refused(system: System) -> None:
    found = ingest(system, ("a", "".join(f"## {n}\n\nText.\n" for n in range(1_001))))
    assert "sections" in found["results"][0]["error"]  # type: ignore[index]
    assert system.get("memory/pages")["items"] == []
