"""Marks with body part and severity as boxes, as the Human Artifact Dataset has them, piece by piece.

Source of the format: https://arxiv.org/abs/2411.13842. A box goes from corner to corner. Only imported marks
tell boxes of persons, with what they lack or have too much: a tag in their words, and no severity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from analysis.exports.defect.coco import BY_IMAGE, images_of, pieces
from analysis.exports.source import ExportSource
from scoring.defect.marks import OTHER_PART, PARTS, Defect, Marks, clean
from scoring.defect.masks import Mask
from scoring.grid.taxonomy import SEVERITY_TITLES

NAMES: Final = {**{part: part for part in PARTS}, "hands": "hand"}
"""Their words for body parts; they tell arm and leg apart, which we do not."""
PERSON: Final = re.compile(r"human (missing|with extra) [a-z]+")
"""Their tags of a person."""


def had_file(reading: ExportSource) -> Iterator[bytes]:
    """Yield a list with an object for each annotation: its image, and a box for each defect it details."""
    yield b"["
    yield from pieces(reading.counted(_annotations(reading)))
    yield b"\n]\n"


def _annotations(reading: ExportSource) -> Iterator[dict[str, Any]]:
    known = reading.once(images_of)
    for row in reading.rows(BY_IMAGE):
        image = known[row.image]
        size, marks = (image["height"], image["width"]), clean(row.said, complete=False)
        yield {
            "image": {"file_name": image["file_name"], "height": size[0], "width": size[1]},
            "annotation": [_box(*one, size, reading.hidden) for one in marks.masked if _is_told(one[0])],
            "human": _persons(marks, size) if marks.elsewhere else [],
            "annotator": reading.name(row.annotator),
        }


def _persons(marks: Marks, size: tuple[int, int]) -> list[dict[str, Any]]:
    """Return the boxes of persons with their tags."""
    tags: dict[tuple[int, ...], list[str]] = {}
    for defect, mask in marks.masked:
        if not defect.severity and PERSON.fullmatch(defect.text):
            tags.setdefault(_corners(mask, size), []).append(defect.text)
    return [{"bbox": list(box), "tag": own} for box, own in tags.items()]


def _is_told(defect: Defect) -> bool:
    return bool(defect.severity and defect.part and defect.part != OTHER_PART)


def _box(defect: Defect, mask: Mask, size: tuple[int, int], hidden: bool) -> dict[str, Any]:
    return {
        "bbox": list(_corners(mask, size)),
        "body_parts": NAMES[str(defect.part)],
        "level": SEVERITY_TITLES[str(defect.severity)],
        # A description may name people, whom pseudonyms hide.
        **({} if hidden else {"text": defect.text, "kind": defect.kind}),
    }


def _corners(mask: Mask, size: tuple[int, int]) -> tuple[int, ...]:
    left, top, width, height = mask.scaled(*size).box
    return left, top, left + width, top + height
