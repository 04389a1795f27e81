"""Marks with body part and severity as boxes, as the Human Artifact Dataset has them, piece by piece.

Source of the format: https://arxiv.org/abs/2411.13842. A box goes from corner to corner; whom it bounds as a
person is not known here, so `human` is empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from analysis.exports.source import ExportSource
from annotator.models import Image
from scoring.defect.marks import OTHER_PART, PARTS, Defect, clean
from scoring.grid.taxonomy import SEVERITY_TITLES

NAMES: Final = {**{part: part for part in PARTS}, "hands": "hand"}
"""Their words for body parts; they tell arm and leg apart, which we do not."""


def had_file(reading: ExportSource) -> Iterator[bytes]:
    """Yield a list with an object for each annotation: its image, and a box for each defect it details."""
    yield b"["
    for count, entry in enumerate(reading.counted(_annotations(reading))):
        text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        yield (b",\n" if count else b"\n") + text.encode()
    yield b"\n]\n"


def _annotations(reading: ExportSource) -> Iterator[dict[str, Any]]:
    for image, rows in groupby(reading.rows(("assignment__image_id", "pk")), key=attrgetter("image")):
        name, width, height = Image.objects.values_list("source_name", "width", "height").get(pk=image)
        for row in rows:
            told = (each for each in clean(row.said, complete=False).defects if _is_told(each))
            yield {
                "image": {"file_name": name, "height": height, "width": width},
                "annotation": [_box(each, (height, width), reading.hidden) for each in told],
                "human": [],
                "annotator": reading.name(row.annotator),
            }


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
