"""Marks with body part and severity as boxes, as the Human Artifact Dataset has them, piece by piece.

Source of the format: https://arxiv.org/abs/2411.13842. A box goes from corner to corner. Only imported marks
tell boxes of persons, with what they lack or have too much: a tag in their words, and no severity.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from analysis.exports.defect.coco import sizes_of
from analysis.exports.source import ExportSource
from scoring.defect.marks import OTHER_PART, PARTS, Defect, clean
from scoring.grid.taxonomy import SEVERITY_TITLES

NAMES: Final = {**{part: part for part in PARTS}, "hands": "hand"}
"""Their words for body parts; they tell arm and leg apart, which we do not."""
PERSON: Final = re.compile(r"human (missing|with extra) [a-z]+")
"""Their tags of a person."""


def had_file(reading: ExportSource) -> Iterator[bytes]:
    """Yield a list with an object for each annotation: its image, and a box for each defect it details."""
    yield b"["
    for count, entry in enumerate(reading.counted(_annotations(reading))):
        text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        yield (b",\n" if count else b"\n") + text.encode()
    yield b"\n]\n"


def _annotations(reading: ExportSource) -> Iterator[dict[str, Any]]:
    sizes = reading.once(sizes_of)
    names = dict(reading.project.images.order_by().values_list("pk", "source_name"))
    for image, rows in groupby(reading.rows(("assignment__image_id", "pk")), key=attrgetter("image")):
        height, width = sizes[image]
        for row in rows:
            marks = clean(row.said, complete=False)
            told = (each for each in marks.defects if _is_told(each))
            yield {
                "image": {"file_name": names[image], "height": height, "width": width},
                "annotation": [_box(each, (height, width), reading.hidden) for each in told],
                "human": _persons(marks.defects, (height, width)) if marks.elsewhere else [],
                "annotator": reading.name(row.annotator),
            }


def _persons(defects: Sequence[Defect], size: tuple[int, int]) -> list[dict[str, Any]]:
    """Return the boxes of persons with their tags."""
    tags: dict[tuple[int, int, int, int], list[str]] = {}
    for defect in defects:
        if defect.mask and not defect.severity and PERSON.fullmatch(defect.text):
            left, top, width, height = defect.mask.scaled(*size).box
            tags.setdefault((left, top, left + width, top + height), []).append(defect.text)
    return [{"bbox": list(box), "tag": own} for box, own in tags.items()]


def _is_told(defect: Defect) -> bool:
    return bool(defect.mask and defect.severity and defect.part and defect.part != OTHER_PART)


def _box(defect: Defect, size: tuple[int, int], hidden: bool) -> dict[str, Any]:
    assert defect.mask is not None
    left, top, width, height = defect.mask.scaled(*size).box
    return {
        "bbox": [left, top, left + width, top + height],
        "body_parts": NAMES[str(defect.part)],
        "level": SEVERITY_TITLES[str(defect.severity)],
        # A description may name people, whom pseudonyms hide.
        **({} if hidden else {"text": defect.text, "kind": defect.kind}),
    }
