"""Dialogues with questions and evidence, in the LoCoMo layout: read and never kept."""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Turn:
    """One turn as it is remembered. `session` counts from 1."""

    id: str
    session: int
    at: str
    speaker: str
    text: str


@dataclass(frozen=True)
class Question:
    """A question, its category (5 is adversarial), and the indexes of its evidence turns."""

    text: str
    category: int
    evidence: tuple[int, ...]


@dataclass(frozen=True)
class Dialogue:
    """One dialogue: a space of its own."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read(path: Path) -> list[Dialogue]:
    """All dialogues of a file; questions without usable evidence are left out."""
    return [_dialogue(raw) for raw in json.loads(path.read_text(encoding="utf-8"))]


def _dialogue(raw: dict[str, Any]) -> Dialogue:
    talk = raw["conversation"]
    numbers = sorted(int(m[1]) for key in talk if (m := re.fullmatch(r"session_(\d+)", key)))
    turns = []
    for number in numbers:
        at = datetime.strptime(talk[f"session_{number}_date_time"].strip(), "%I:%M %p on %d %B, %Y")
        for turn in talk[f"session_{number}"]:
            caption = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            text = turn["text"].strip() + caption
            turns.append(Turn(turn["dia_id"], number, at.strftime("%Y-%m-%dT%H:%M:%S"), turn["speaker"], text))
    place = {turn.id: index for index, turn in enumerate(turns)}
    questions = []
    for entry in raw["qa"]:
        named = [
            f"D{int(a)}:{int(b)}" for text in entry["evidence"] for a, b in re.findall(r"D:?(\d+):(\d+)", text)
        ]
        evidence = tuple(dict.fromkeys(place[name] for name in named if name in place))
        if evidence:
            questions.append(Question(entry["question"], entry["category"], evidence))
    return Dialogue(raw["sample_id"], tuple(turns), tuple(questions))
