"""What is suggested in the stages: masks to who marks, references to the expert, descriptions to raters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from django.db.models import QuerySet

from annotator.inputs.refusal import WrongCell
from annotator.models import Image, SuggestionRun
from annotator.protocols.base import Suggested
from annotator.protocols.defect.drawing import SMALL, overlay_of
from annotator.protocols.defect.material import DEFECTIVE, DESCRIBED, MODEL, submitted
from annotator.protocols.defect.sheet_format import HEADING, read
from scoring.defect.consolidation import CHECK
from scoring.defect.masks import grid_of, read_mask
from scoring.defect.repeated import MADE_FROM
from scoring.payloads import LONGEST_TEXT
from scoring.protocol import Payload

MASKS: Final = "masks"
LONGEST_NAME: Final = 40


def read_masks(texts: Mapping[str, str], grid: tuple[int, int]) -> Payload:
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


def read_reference(texts: Mapping[str, str], checks: set[str] | None) -> Payload:
    """Return a reference description and what it was made from: the marks of a check of the image."""
    made_from, text = (texts.get(column, "").strip() for column in (MADE_FROM, DESCRIBED))
    if made_from not in (checks or ()):
        raise WrongCell(MADE_FROM, "no check of this image was made from this; export the requests again")
    if not text or len(text) > LONGEST_TEXT:
        raise WrongCell(DESCRIBED, f"expected a text of at most {LONGEST_TEXT:,} characters")
    return {MADE_FROM: made_from, DESCRIBED: text}


def read_description(texts: Mapping[str, str], _: object) -> Payload:
    """Return what a model wrote, and whether it sees a defect; JSON may give a list of at most one text."""
    model, said, text = (texts.get(column, "").strip() for column in (MODEL, DEFECTIVE, DESCRIBED))
    try:
        listed = json.loads(text) if text.startswith("[") else [text]
    except (RecursionError, ValueError):
        listed = [text]
    if not 1 <= len(model) <= LONGEST_NAME:
        raise WrongCell(MODEL, f"expected a name of at most {LONGEST_NAME} characters")
    if said.casefold() not in ("true", "false"):
        raise WrongCell(DEFECTIVE, "expected true or false")
    text = "".join(each for each in listed if isinstance(each, str)).strip()
    if len(listed) > 1 or len(text) > LONGEST_TEXT:
        raise WrongCell(DESCRIBED, f"expected at most one text of at most {LONGEST_TEXT:,} characters")
    is_defective = said.casefold() == "true"
    if is_defective != bool(text):
        raise WrongCell(DESCRIBED, "expected a text exactly if the image is defective")
    return {MODEL: model, DEFECTIVE: is_defective, DESCRIBED: text}


def drawn(payload: Payload) -> Payload:
    """Return the edges of all masks in a small box, and how many there are."""
    small = overlay_of({str(at): read_mask(one["mask"]) for at, one in enumerate(payload[MASKS], 1)}, SMALL)
    edges = [each["edge"] for each in small["masks"]]
    return {MASKS: len(edges), "box": small["box"], "edge": "".join(edges)}


def _grids(images: QuerySet[Image]) -> dict[int, Any]:
    sizes = images.order_by().values_list("pk", "width", "height")
    return {pk: grid_of(width, height) for pk, width, height in sizes.iterator()}


def _checks(images: QuerySet[Image]) -> dict[int, Any]:
    found: dict[int, set[str]] = {}
    checks = submitted(image__in=images, batch__protocol=CHECK.slug)
    for image, made_from in checks.values_list("assignment__image", f"payload__{MADE_FROM}"):
        found.setdefault(image, set()).add(made_from)
    return found


SUGGESTED_MASKS: Final = Suggested(
    SuggestionRun.Kind.MASKS, (MASKS,), read_masks, reader="masks", complete=True, about=_grids, drawn=drawn
)
SUGGESTED_REFERENCE: Final = Suggested(
    SuggestionRun.Kind.REFERENCE, (MADE_FROM, DESCRIBED), read_reference, complete=True, about=_checks
)
SUGGESTED_DESCRIPTION: Final = Suggested(
    SuggestionRun.Kind.DESCRIPTION, (MODEL, DEFECTIVE, DESCRIBED), read_description, complete=True
)
