from remembrancer.cli import sample
from remembrancer.core.pages import parse
from remembrancer.core.slugs import check_slug


def test_there_are_twelve_different_facts_and_one_is_followed() -> None:
    facts = sample.facts()
    assert len({fact["content"] for fact in facts}) == 12
    assert [fact.get("probe") for fact in facts].count(True) == 1


def test_every_sample_page_is_a_valid_page() -> None:
    for page in sample.pages():
        check_slug(page["slug"])
        parsed = parse(page["slug"], page["content"].encode(), strict=True)
        assert not parsed.problems
        assert parsed.fields["title"]
    assert len(sample.pages()) == 5


def test_links_of_facts_lead_to_sample_pages() -> None:
    slugs = {page["slug"] for page in sample.pages()}
    linked = {fact["content"].split("[[")[1].split("]]")[0] for fact in sample.facts() if "[[" in fact["content"]}
    assert linked == slugs
    assert sample.ANSWER in slugs
