"""The main job: remember, inject at once, ingest, recall, consolidate, inject again."""

from typing import Any

from tests.system import System

FACTS = [
    "Rachel prefers oat milk in her coffee.",
    "The gate code of the [[allotment]] changed on Friday.",
    "The boiler is serviced every October by Harrow Heating.",
    "To reset the router, hold the button for ten seconds.",
]
PAGES = [
    {
        "slug": "allotment",
        "content": "---\ntitle: Allotment\nsource: notes\n---\n\nThe shared plot behind the railway line.\n\n"
        "## Facts\n\n- Beans grow on the south bed.\n- The water is off from November to March.\n",
    },
    {
        "slug": "people/ada",
        "content": "---\ntitle: Ada\nsource: import:notes\n---\n\nAda repairs old clocks in Leeds.\n",
    },
]


def inject(system: System, turn: str, message: str, **more: object) -> Any:
    return system.post("inject", {"session_id": "s1", "turn_id": turn, "message": message, **more})


def pages(system: System) -> dict[str, str]:
    listed = system.get("memory/pages")["items"]
    return {
        item["slug"]: system.call("GET", f"/v1/memory/pages/{item['slug']}?format=markdown").text
        for item in listed
    }


def test_the_main_job(system: System) -> None:
    ids = [e["id"] for e in system.post("remember", {"content": FACTS, "source": "user"})["entries"]]

    # read your writes: no index has seen it yet
    first = inject(system, "t1", "How does Rachel take her coffee?", mode="full")
    assert FACTS[0] in first["blocks"]["info"]
    again = inject(system, "t1", "How does Rachel take her coffee?", mode="full")
    assert again == first

    written = system.post("ingest", {"pages": PAGES})
    assert [r["action"] for r in written["results"]] == ["written", "written"]
    system.pump()
    hits = system.post("recall", {"query": "Who repairs clocks?"})
    assert hits["degraded"] == []
    assert hits["results"][0]["slug"] == "people/ada"
    assert system.post("recall", {"query": "oat milk"})["results"][0]["entries"] == [ids[0]]

    second = inject(system, "t2", "What grows on the allotment?")
    assert "Beans grow on the south bed." in second["blocks"]["memory"]
    third = inject(system, "t3", "What grows on the allotment, again?")
    assert "Beans grow on the south bed." not in third["blocks"].get("memory", "")
    assert "allotment" in third["blocks"]["pointer"]

    run = system.consolidate()
    assert run["status"] == "progress", run
    assert system.get("memory/stats")["entries"]["pending"] == 0
    text = pages(system)
    for fact, entry_id in zip(FACTS, ids, strict=True):
        (slug,) = system.get(f"memory/entries/{entry_id}")["filed_to"]
        (line,) = [line for line in text[slug].splitlines() if f"^{entry_id}" in line and line.startswith("- ")]
        assert fact.split(".")[0].replace("[[allotment]]", "allotment") in line
    assert f"^{ids[1]}" in text["allotment"]
    assert "Beans grow on the south bed." in text["allotment"]
    record = system.get(f"consolidation/runs/{run['run']}")["run"]
    assert (record["status"], record["filed"]) == ("progress", 4)

    # a second run has nothing to do and changes no byte
    assert system.consolidate()["decision"] == "empty"
    assert pages(system) == text

    system.pump()
    later = system.post(
        "inject", {"session_id": "s2", "turn_id": "t1", "message": "boiler service", "mode": "full"}
    )
    assert "Harrow Heating" in later["blocks"]["info"] + later["blocks"]["memory"]
    found = system.post("recall", {"query": "When is the boiler serviced?"})["results"]
    assert ids[2] in found[0]["entries"]
