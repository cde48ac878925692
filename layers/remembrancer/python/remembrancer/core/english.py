"""What search knows of the English language: word lists, calendar words and patterns."""

import re

_IRREGULAR = """
be was were been|become became|begin began begun|bend bent|bite bit bitten|blow blew blown|break broke broken
bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|come came|deal dealt|dig dug
do did done|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
feed fed|feel felt|fight fought|find found|fly flew flown|forget forgot forgotten|forgive forgave forgiven
freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|hang hung|have had has|hear heard
hide hid hidden|hold held|keep kept|know knew known|lay laid|lead led|learn learnt|leave left|lend lent|lie lain
light lit|lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran
say said|see saw seen|seek sought|sell sold|send sent|shake shook shaken|shoot shot|show shown|sing sang sung
sit sat|sleep slept|speak spoke spoken|spend spent|stand stood|steal stole stolen|stick stuck|swim swam swum
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood
wake woke woken|wear wore worn|win won|write wrote written|child children|person people|man men|woman women
foot feet|tooth teeth|life lives|wife wives|mouse mice|bad worse worst|good better best
"""
_GROUPS = [group.split() for line in _IRREGULAR.split("\n") for group in line.split("|") if group]
BASE_FORMS = {form: group[0] for group in _GROUPS for form in group[1:]}
"""Irregular form to base form, lower case."""

_FUNCTION = """
what when where who whom whose which why how did does do is are was were has have had can could would will should
the a an of in on to for and or his her their its he she they it with at from by about as that this be been being
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())
"""Question and function words: they say nothing about what a question is after."""

FUNCTION_FORMS = FUNCTION_WORDS | {"doing", "having"}
"""The same with the regular forms of do and have, which a stemmer would fold into them."""


def _numbered(words: str, start: int) -> dict[str, int]:
    return {word: number for number, word in enumerate(words.split(), start)}


MONTHS = _numbered("january february march april may june july august september october november december", 1)
WEEKDAYS = _numbered("monday tuesday wednesday thursday friday saturday sunday", 0)
SEASONS = {"spring": (3, 5), "summer": (6, 8), "fall": (9, 11), "autumn": (9, 11), "winter": (12, 2)}
"""First and last month, in the northern half of the world; winter ends in the next year."""

NUMBERS = _numbered("one two three four five six seven eight nine ten", 1)
NUMBERS |= {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 4}

MONTH = "|".join(MONTHS)
WEEKDAY = "|".join(WEEKDAYS)
SEASON = "|".join(SEASONS)

WORD = re.compile(r"[^\W_]+(?:['\u2019.][^\W_]+)*")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
NAME = re.compile(r"(?<=[a-z,;] )[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+")
"""A capitalised word in mid-sentence."""

_POSSESSIVE = re.compile(r"['\u2019]s$", re.IGNORECASE)
_TIMED = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|the other day|past weekend"
    rf"|last (?:night|week|month|year|weekend|summer|winter|spring|fall|{WEEKDAY})"
    rf"|next (?:week|month|year|weekend|summer|{WEEKDAY})"
    rf"|this (?:week|month|year|morning|weekend|past)|{WEEKDAY}|{MONTH}|20[0-9][0-9])\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"^(?:when\b|(?:in |on |during )?(?:which|what) (?:date|day|month|year|time|week|weekend|season)\b)"
    r"|\b(?:what|which) (?:month|year|date)\b"
)
_WHERE = re.compile(
    r"^(?:where\b|(?:in )?(?:which|what) (?:city|cities|country|countries|states?|places?|locations?|town|area)\b)"
)


def bare(word: str) -> str:
    """A word in lower case without its possessive ending."""
    return _POSSESSIVE.sub("", word.lower())


def base_form(word: str) -> str:
    """The base form of an irregular word, else the bare word."""
    plain = bare(word)
    return BASE_FORMS.get(plain, plain)


def base_forms(text: str) -> str:
    """The text with every irregular word in its base form (lower case); all else stays as it is."""

    def swap(match: re.Match[str]) -> str:
        word = match.group()
        plain = bare(word)
        return BASE_FORMS[plain] + word[len(plain) :] if plain in BASE_FORMS else word

    return WORD.sub(swap, text)


def sentences(text: str) -> list[str]:
    """The sentences of a text, split after `.`, `!` and `?`."""
    return [sentence for sentence in SENTENCE_END.split(text.strip()) if sentence]


def is_question(sentence: str) -> bool:
    """True when it ends in a question mark, quotes aside."""
    return sentence.rstrip("\"' ").endswith("?")


def is_timed(text: str) -> bool:
    """True when the text names a date or a relative time."""
    return bool(_TIMED.search(text))


def asks_when(question: str) -> bool:
    """True when a question asks for a time."""
    return bool(_WHEN.search(question.lower()))


def asks_where(question: str) -> bool:
    """True when a question asks for a place."""
    return bool(_WHERE.search(question.lower()))
