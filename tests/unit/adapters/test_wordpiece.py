"""Token ids as the model was trained with them; the figures come from the published tokenizer."""

import pytest

from remembrancer.adapters.onnx.wordpiece import WordPiece, read_vocabulary, split
from tests import embedder

START, END, UNKNOWN = 101, 102, 100


@pytest.fixture(scope="module")
def wordpiece() -> WordPiece:
    return WordPiece(read_vocabulary(embedder.built() / "vocab.txt"), 256)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Caf\u00e9 na\u00efve", [7668, 15743]),
        ("\u6771\u4eac tower", [1879, 1755, 3578]),
        ("\ud55c\uad6d", [1469, 30006, 30021, 29991, 30014, 30020]),
        ("\U0001f363 I", [UNKNOWN, 1045]),
        ("user_id", [5310, 1035, 8909]),
        ("don't stop", [2123, 1005, 1056, 2644]),
        ("unaffable", [14477, 20961, 3468]),
        ("x" * 100, [22038, *[20348] * 49]),
        ("y" * 101, [UNKNOWN]),
        ("[CLS]", [1031, 18856, 2015, 1033]),
        ("", []),
    ],
)
def test_known_texts_have_known_ids(wordpiece: WordPiece, text: str, ids: list[int]) -> None:
    assert wordpiece.encode(text) == [START, *ids, END]


def test_a_long_text_is_cut_at_the_maximum(wordpiece: WordPiece) -> None:
    ids = wordpiece.encode("heron " * 1_000)
    assert (len(ids), ids[0], ids[-1]) == (256, START, END)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\x00b\ufffdc\u200bd", ["abcd"]),
        ("tab\tnew\nline\r\u00a0nbsp\u3000ideographic", ["tab", "new", "line", "nbsp", "ideographic"]),
        ("\u00abquoted\u00bb \u2014 dash\u2026", ["\u00ab", "quoted", "\u00bb", "\u2014", "dash", "\u2026"]),
        ("\u041f\u0420\u0418\u0412\u0415\u0422", ["\u043f\u0440\u0438\u0432\u0435\u0442"]),
        ("e\u0301t\u00e9", ["ete"]),
        ("$5^x|y", ["$", "5", "^", "x", "|", "y"]),
    ],
)
def test_text_is_split_into_words(text: str, words: list[str]) -> None:
    assert split(text) == words
