from remembrancer.core.catalogue import PageHead
from remembrancer.core.lint import due, lint, summary

DAY_MS = 86_400_000
NOW = 20_000 * DAY_MS  # 2024-10-04


def test_a_tidy_space_has_no_findings() -> None:
    heads = [PageHead("a", 1, chars=900, links=("b",)), PageHead("b", 1, chars=900, links=("a",))]
    assert not any(lint(heads, [], NOW).values())


def test_every_check_finds_its_kind() -> None:
    heads = [
        PageHead("a", 1, chars=900, links=("b", "gone")),
        PageHead("b", 1, chars=12, status="draft", stale_after="2024-10-03"),
        PageHead("hub", 1, chars=12, kind="index", stale_after="2024-10-04"),
        PageHead("odd", 1, chars=900, links=("odd",), stale_after="soon"),
    ]
    assert lint(heads, ["e2", "e1"], NOW) == {
        "contradictions": ["e1", "e2"],
        "orphans": ["a", "hub"],
        "one_way": ["a > b"],
        "dangling": ["a > gone"],
        "stale": ["b"],
        "drafts": ["b"],
        "micro": ["b"],
    }


def test_the_summary_counts_all_and_names_the_first() -> None:
    told = summary({"drafts": [f"p{n:02d}" for n in range(30)], "stale": []}, NOW)
    assert told["counts"] == {"drafts": 30, "stale": 0}
    assert told["first"] == {"drafts": [f"p{n:02d}" for n in range(10)]}


def test_it_is_due_weekly_and_only_when_nothing_waits() -> None:
    assert due({}, 0, NOW)
    assert not due({}, 1, NOW)
    assert not due({"at_ms": NOW - 7 * DAY_MS + 1}, 0, NOW)
    assert due({"at_ms": NOW - 7 * DAY_MS}, 0, NOW)
