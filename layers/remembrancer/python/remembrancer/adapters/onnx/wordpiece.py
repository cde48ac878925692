"""WordPiece of the uncased BERT models: text to token ids."""

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

MAX_WORD = 100
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


def read_vocabulary(path: Path) -> dict[str, int]:
    """Token to id: the file has one token a line, in the order of the ids."""
    return {token: number for number, token in enumerate(path.read_text(encoding="utf-8").split("\n")) if token}


@lru_cache(maxsize=4096)
def _shape(char: str) -> str:
    """What a character does: it is dropped, is a space, stands alone, or belongs to a word (empty)."""
    if char in "\t\n\r" or unicodedata.category(char) == "Zs":
        return "space"
    category = unicodedata.category(char)
    if category in ("Cc", "Cf", "Co", "Cs") or char == "\ufffd":
        return "drop"
    number = ord(char)
    symbol = number < 128 and not char.isalnum()
    if symbol or category[0] == "P" or any(low <= number <= high for low, high in _IDEOGRAPHS):
        return "alone"
    return ""


def split(text: str) -> list[str]:
    """Lower-case words without accents; punctuation and ideographs are words of their own."""
    kept = "".join(" " if _shape(char) == "space" else char for char in text if _shape(char) != "drop")
    folded = (char for char in unicodedata.normalize("NFD", kept.lower()) if unicodedata.category(char) != "Mn")
    return "".join(f" {char} " if _shape(char) == "alone" else char for char in folded).split()


class WordPiece:
    """Encodes with one vocabulary; words that were met before are looked up."""

    def __init__(self, vocabulary: Mapping[str, int], max_tokens: int) -> None:
        self._vocabulary = vocabulary
        self._max_tokens = max_tokens
        self._start, self._end, self._unknown = (vocabulary[token] for token in ("[CLS]", "[SEP]", "[UNK]"))
        self._pieces = lru_cache(maxsize=20_000)(self._pieces_of)

    def encode(self, text: str) -> list[int]:
        """Ids with the start and end tokens, cut at the maximum."""
        room = self._max_tokens - 2
        ids: list[int] = []
        for word in split(text):
            ids += self._pieces(word)
            if len(ids) >= room:
                break
        return [self._start, *ids[:room], self._end]

    def _pieces_of(self, word: str) -> tuple[int, ...]:
        """The longest known pieces from the left, or the unknown token for the whole word."""
        if len(word) > MAX_WORD:
            return (self._unknown,)
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._vocabulary.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            pieces.append(number)
            start = end
        return tuple(pieces)
