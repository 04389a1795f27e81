"""Suggested counts of one image: how many people, and how many parts of each kind are visible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from annotator.inputs.numbers import whole_cell
from annotator.inputs.refusal import WrongCell
from annotator.models import SuggestionRun
from annotator.protocols.base import Suggested
from scoring.grid.notation import LARGEST_COUNT
from scoring.grid.taxonomy import BODY_PARTS, parts_in_words
from scoring.protocol import Payload

PEOPLE: Final = "people"
COLUMNS: Final = (PEOPLE, *BODY_PARTS)
_MOST_OF_A_PERSON: Final = {"hands": 4, "feet": 4, "face": 2, "torso": 2, "limbs": 8}
"""Twice what a person has: a suggestion above it is stored and named."""


def read_counts(texts: Mapping[str, str], _: object) -> Payload:
    """Return `{"people": 3, "visible": {"hands": 6}}` of the texts of COLUMNS, without what is empty."""
    counts = {
        name: whole_cell(name, texts.get(name, ""), 1 if name == PEOPLE else 0, LARGEST_COUNT)
        for name in COLUMNS
    }
    visible = {part: counts[part] for part in BODY_PARTS if counts[part] is not None}
    if counts[PEOPLE] is None and not visible:
        raise WrongCell(PEOPLE, f"nothing is counted: give {PEOPLE} or one of {', '.join(BODY_PARTS)}")
    people = {} if counts[PEOPLE] is None else {PEOPLE: counts[PEOPLE]}
    return {**people, "visible": visible}


def improbable(payload: Payload) -> str:
    """Return why suggested counts are unlikely, as a sentence part; empty if they are not."""
    people = payload.get(PEOPLE)
    for part, count in payload["visible"].items():
        if people is not None and count > _MOST_OF_A_PERSON[part] * people:
            crowd = "1 person" if people == 1 else f"{people} people"
            return f"{parts_in_words(count, part)} for {crowd}"
    return ""


COUNTS: Final = Suggested(SuggestionRun.Kind.COUNTS, COLUMNS, read_counts, unlikely=improbable)
