"""A text taken apart for search: statements, questions, the caption of a picture, names."""

import re
from dataclasses import dataclass

from remembrancer.core.english import NAME, is_question, sentences

_CAPTION = re.compile(r"(?:^|(?<=\s))\[[^\[\]]+\]\s*$")


@dataclass(frozen=True, slots=True)
class Said:
    """A text apart from its trailing caption in brackets."""

    body: str
    caption: str

    @property
    def full(self) -> str:
        """Everything."""
        return joined(self.body, self.caption)

    @property
    def own(self) -> str:
        """The statements, or everything when there are only questions; then the caption."""
        stated = " ".join(s for s in sentences(self.body) if not is_question(s))
        return joined(stated or self.body, self.caption)

    @property
    def last_question(self) -> str:
        """The last question, empty when there is none."""
        return next((s for s in reversed(sentences(self.body)) if is_question(s)), "")


def said_in(text: str) -> Said:
    """Take a text apart."""
    found = _CAPTION.search(text)
    return Said(text[: found.start()].strip(), found.group().strip()) if found else Said(text.strip(), "")


def joined(*parts: str) -> str:
    """The parts that are not empty, with a space between them."""
    return " ".join(part for part in parts if part)


def names_in(text: str) -> tuple[str, ...]:
    """Capitalised words in mid-sentence, each once."""
    return tuple(dict.fromkeys(NAME.findall(text)))
