import pytest

from remembrancer.core.said import names_in, said_in


@pytest.mark.parametrize(
    ("text", "body", "caption"),
    [
        ("Look! [photo: a cat]", "Look!", "[photo: a cat]"),
        ("[photo: a cat]", "", "[photo: a cat]"),
        ("no caption", "no caption", ""),
        ("see [[people/anna]]", "see [[people/anna]]", ""),
        ("[a] in front", "[a] in front", ""),
    ],
)
def test_a_bracket_at_the_end_is_a_caption(text: str, body: str, caption: str) -> None:
    said = said_in(text)
    assert (said.body, said.caption) == (body, caption)


def test_own_text_leaves_questions_out_and_keeps_the_caption() -> None:
    said = said_in("It rained. How was yours? We stayed in! [photo: a tent]")
    assert said.own == "It rained. We stayed in! [photo: a tent]"
    assert said.last_question == "How was yours?"


def test_a_text_of_questions_only_keeps_them() -> None:
    assert said_in("Really? Why?").own == "Really? Why?"


def test_names_stand_in_mid_sentence() -> None:
    assert names_in("Today I met Bob and Anna. She likes Bob") == ("Bob", "Anna")
