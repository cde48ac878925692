"""A week of an assistant, consolidated night by night: what stands in the space at the end."""

import json
import re
from collections.abc import Iterator

import pytest

from remembrancer.core.pages import parse
from tests import week
from tests.system import System

ID = re.compile(r" \^([0-9A-HJKMNP-TV-Z]{26})")
STAMP = re.compile(r"_Written .* by run .*_")


@pytest.fixture(scope="module")
def tenant() -> Iterator[System]:
    with week.tenant() as system:
        yield system


@pytest.fixture(scope="module")
def nights(tenant: System) -> list[list[dict[str, object]]]:
    return week.play(tenant)


@pytest.fixture(scope="module")
def made(tenant: System, nights: list[list[dict[str, object]]]) -> dict[str, str]:
    return week.made(tenant)


@pytest.fixture(scope="module")
def entries(tenant: System, made: dict[str, str]) -> dict[str, dict[str, object]]:
    items, cursor = [], ""
    while True:
        page = tenant.get(f"memory/entries?status=all&limit=100&cursor={cursor}")
        items += page["items"]
        cursor = page["cursor"] or ""
        if not cursor:
            return {item["id"]: item for item in items}


def pages(made: dict[str, str]) -> dict[str, str]:
    return {
        name.removeprefix("concepts/").removesuffix(".md"): text
        for name, text in made.items()
        if name.startswith("concepts/")
    }


def bullets(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("- ") and ID.search(line)]


def test_the_week_ends_with_the_pages_views_and_links_of_the_golden_files(made: dict[str, str]) -> None:
    assert made == week.golden()


def test_every_night_files_all_that_waited(nights: list[list[dict[str, object]]]) -> None:
    assert [[run["status"] for run in night] for night in nights] == [
        ["progress", "progress"],
        *[["progress"]] * 6,
    ]


def test_every_line_leads_to_its_entry_session_time_and_run(
    tenant: System, made: dict[str, str], entries: dict[str, dict[str, object]]
) -> None:
    runs = {run["run"] for run in tenant.get("consolidation/runs?limit=100")["items"]}
    for slug, text in pages(made).items():
        for line in bullets(text):
            (entry_id,) = ID.findall(line)
            item = entries[entry_id]
            assert slug in item["filed_to"]  # type: ignore[operator]
            assert item["filed_by"] in runs
            assert item["at"] and item["source"]
            assert item["source"] == f"session:{item['session_id']}" or str(item["source"]).startswith("import:")


def test_every_active_fact_is_one_bullet_and_no_superseded_one_is(
    made: dict[str, str], entries: dict[str, dict[str, object]]
) -> None:
    cited = sorted(
        entry_id for text in pages(made).values() for row in bullets(text) for entry_id in ID.findall(row)
    )
    assert cited == sorted(entry_id for entry_id, item in entries.items() if item["status"] == "active")
    gone = [item for item in entries.values() if item["status"] == "superseded"]
    assert gone
    for item in gone:
        why = item["superseded"]
        assert isinstance(why, dict)
        assert why["by"] in entries and why["run"] and why["score"] >= why["threshold"]


def test_pages_read_whole_and_link_to_pages_that_are_there_and_not_to_themselves(made: dict[str, str]) -> None:
    found = pages(made)
    for slug, text in found.items():
        page = parse(slug, text, strict=True)
        assert page.title and not re.search(r"[0-9A-Z]{26}|/", page.title)
        assert f"[[{slug}]]" not in text and f"[[{slug}|" not in text
    links = json.loads(made["graph.json"])
    assert {to for targets in links.values() for to in targets} <= found.keys()


def test_a_page_that_grew_too_long_is_a_hub_with_links_both_ways(made: dict[str, str]) -> None:
    hubs = [slug for slug, text in pages(made).items() if "kind: index" in text]
    links = json.loads(made["graph.json"])
    assert hubs == ["otter-bridge"]
    assert links["otter-bridge"] == ["otter-bridge/facts", "otter-bridge/how-to", "otter-bridge/timeline"]
    assert all(links[child] == ["otter-bridge"] for child in links["otter-bridge"])


def test_timelines_are_sorted_by_day(made: dict[str, str]) -> None:
    for text in pages(made).values():
        days = re.findall(r"^- (\d{4}-\d{2}-\d{2}): ", text.partition("## Timeline")[2], re.MULTILINE)
        assert days == sorted(days)


def test_every_event_survives(made: dict[str, str]) -> None:
    told = [fact for day in week.WEEK["days"] for fact in day["facts"] if fact["kind"] == "episodic"]
    timelines = "".join(text.partition("## Timeline")[2].partition("\n## ")[0] for text in pages(made).values())
    assert len(bullets(timelines)) == len(told)


def test_dark_then_light_then_dark_ends_dark(made: dict[str, str]) -> None:
    everything = "".join(made.values())
    assert "prefers the dark theme" in everything
    assert "light theme" not in everything


def test_threads_hold_what_is_ahead_and_nothing_that_is_done_or_past(made: dict[str, str]) -> None:
    coming, _, still = made["views/threads.md"].partition("### Open")
    days = re.findall(r"^- (\d{4}-\d{2}-\d{2})", coming, re.MULTILINE)
    assert days == sorted(days) and days[0] >= "2026-03-09"
    assert "The dentist appointment of Nadja is on 2026-03-13" in coming
    assert "2026-03-12 at 8:20" not in coming
    assert "report]] is due" in coming or "is due on 2026-03-27" in coming
    assert "half marathon" in still
    for over in ("library books", "permission slip", "template tables", "order a new battery", "rehearsal"):
        assert f"{over} " not in still


def test_a_run_with_nothing_new_changes_no_byte(tenant: System, made: dict[str, str]) -> None:
    clock = week.clock(tenant)
    clock.set("2026-03-09T03:30:00+01:00")
    assert tenant.consolidate()["decision"] == "empty"
    run = clock.new_id()
    lease = tenant.wiring.leases.take(tenant.space, run, "consolidation", seconds=600)
    base = {"space": tenant.space, "run": run, "trigger": "manual"}
    planned = tenant.task("plan", base)
    assert planned["batches"] == []
    for name in ("settle", "views", "maintain"):
        tenant.task(name, base)
    tenant.wiring.leases.release(lease)
    assert week.made(tenant) == made


def test_the_order_in_which_facts_come_in_does_not_matter(tenant: System, made: dict[str, str]) -> None:
    other = tenant.fresh_space()
    week.play(other, seed=7)
    found = {name: bare(text) for name, text in week.made(other).items()}
    assert found == {name: bare(text) for name, text in made.items()}


def bare(text: str) -> str:
    """A file without ids."""
    return STAMP.sub("", ID.sub("", text))
