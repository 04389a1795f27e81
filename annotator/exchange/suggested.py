"""What may be suggested of an image, by kind: how the texts of a row are read, and what is stored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from annotator.exchange.formats.mask_files import MASKS
from annotator.exchange.image_rows import WrongCell
from annotator.models import Project, SuggestionRun
from annotator.protocols.defect.material import submitted
from annotator.protocols.defect.sheet_format import HEADING, read
from scoring.defect.consolidation import CHECK
from scoring.defect.masks import grid_of
from scoring.grid.notation import LARGEST_COUNT
from scoring.grid.taxonomy import BODY_PARTS, parts_in_words
from scoring.payloads import LONGEST_TEXT
from scoring.protocol import Payload
from scoring.rating_form.repeated import MADE_FROM

Kind = SuggestionRun.Kind
PEOPLE: Final = "people"
COUNTS: Final = (PEOPLE, *BODY_PARTS)
DESCRIPTION: Final = "description"
Texts = Mapping[str, str]
_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_MOST_OF_A_PERSON: Final = {"hands": 4, "feet": 4, "face": 2, "torso": 2, "limbs": 8}
"""Twice what a person has: a suggestion above it is stored and named."""


class Suggested(NamedTuple):
    """A kind: its columns, who reads its files, and what returns the payload of an image's texts.

    `about` returns what is known of the images of a project, by primary key. `read` raises WrongCell.
    """

    columns: tuple[str, ...]
    reader: str
    read: Callable[[Texts, Any], Payload]
    about: Callable[[Project], Mapping[int, Any]] = lambda _: {}


def read_counts(texts: Texts, _: object = None) -> Payload:
    """Return `{"people": 3, "visible": {"hands": 6}}` of the texts of COUNTS, without what is empty."""
    counts = {name: _count(name, texts.get(name, "").strip()) for name in COUNTS}
    visible = {part: counts[part] for part in BODY_PARTS if counts[part] is not None}
    if counts[PEOPLE] is None and not visible:
        raise WrongCell(PEOPLE, f"nothing is counted: give {PEOPLE} or one of {', '.join(BODY_PARTS)}")
    people = {} if counts[PEOPLE] is None else {PEOPLE: counts[PEOPLE]}
    return {**people, "visible": visible}


def improbable(payload: Payload) -> str:
    """Return why suggested counts are unlikely, as a sentence part; empty if they are not."""
    people = payload.get(PEOPLE)
    for part, count in payload.get("visible", {}).items():
        if people is not None and count > _MOST_OF_A_PERSON[part] * people:
            one = "1 person" if people == 1 else f"{people} people"
            return f"{parts_in_words(count, part)} for {one}"
    return ""


def _count(column: str, text: str) -> int | None:
    least = 1 if column == PEOPLE else 0
    if not text:
        return None
    if not _WHOLE.fullmatch(text) or not least <= int(text) <= LARGEST_COUNT:
        raise WrongCell(column, f"“{text[:40]}” is not a whole number from {least} to {LARGEST_COUNT}")
    return int(text)


def read_masks(texts: Texts, grid: tuple[int, int]) -> Payload:
    """Return the masks of an image with their kinds.

    What is wrong there is not suggested: it costs whoever marks it a thought, and so it should.
    """
    try:
        given = enumerate(json.loads(texts[MASKS]), 1)
        marks = [{"id": f"d{number}", "mask": one["mask"], "kind": one.get("kind")} for number, one in given]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise WrongCell(MASKS, "expected a list of masks, each with size and counts") from error
    found = read({HEADING: json.dumps({"size": grid, "defects": marks})})
    if found.payload is None:
        raise WrongCell(MASKS, found.problems[0][2].removeprefix("Refused: "))
    if not marks:
        raise WrongCell(MASKS, "no mask is given")
    return {MASKS: [{key: one[key] for key in ("mask", "kind")} for one in found.payload["defects"]]}


def read_reference(texts: Texts, checks: set[str] | None) -> Payload:
    """Return a reference description and what it was made from: the marks of a check of the image."""
    made_from, text = (texts.get(column, "").strip() for column in (MADE_FROM, DESCRIPTION))
    if made_from not in (checks or ()):
        raise WrongCell(MADE_FROM, "no check of this image was made from this; export the requests again")
    if not text or len(text) > LONGEST_TEXT:
        raise WrongCell(DESCRIPTION, f"expected a text of at most {LONGEST_TEXT:,} characters")
    return {MADE_FROM: made_from, DESCRIPTION: text}


def _grids(project: Project) -> dict[int, tuple[int, int]]:
    sizes = project.images.order_by().values_list("pk", "width", "height")
    return {pk: grid_of(width, height) for pk, width, height in sizes.iterator()}


def _checks(project: Project) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    checks = submitted(batch__project=project, batch__protocol=CHECK.slug)
    for image, made_from in checks.values_list("assignment__image", f"payload__{MADE_FROM}"):
        found.setdefault(image, set()).add(made_from)
    return found


KINDS: Final = {
    Kind.COUNTS: Suggested(COUNTS, "counts", read_counts),
    Kind.MASKS: Suggested((MASKS,), "masks", read_masks, _grids),
    Kind.REFERENCE: Suggested((MADE_FROM, DESCRIPTION), "counts", read_reference, _checks),
}
