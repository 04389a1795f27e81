"""Masks as a COCO file, at the size of the images, written piece by piece.

Source of the format: https://cocodataset.org/#format-data, with run-length segmentation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from analysis.exports.defect.stages import checked_images
from analysis.exports.rows import AnnotationRow
from analysis.exports.source import ExportSource
from annotator.models import Image, Project
from annotator.protocols.defect.material import KeptMarks, kept_marks
from scoring.defect.marks import KINDS, Marks, clean
from scoring.defect.masks import Mask

REGION: Final = "region"
CATEGORIES: Final = {kind: number for number, kind in enumerate((*KINDS, REGION), 1)}
_BY_IMAGE: Final = ("assignment__image_id", "pk")
_AT_ONCE: Final = 500
_WRITE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def coco_file(reading: ExportSource) -> Iterator[bytes]:
    """Yield the annotated images, their defects with a mask and a kind, and the categories."""
    images: list[int] = []
    return _written(reading, _annotations(reading, images), images)


def coco_regions(reading: ExportSource) -> Iterator[bytes]:
    """Yield the checked images, the region of each as one annotation, and the categories."""
    images: list[int] = []
    return _written(reading, _regions(reading, images), images)


def sizes_of(project: Project, _: str) -> dict[int, tuple[int, int]]:
    """Return height and width of a project's images, by id; one query."""
    rows = project.images.order_by().values_list("pk", "height", "width")
    return {pk: (height, width) for pk, height, width in rows}


def _written(
    reading: ExportSource, annotations: Iterator[dict[str, Any]], images: list[int]
) -> Iterator[bytes]:
    # Annotations come first, because reading them tells which images there are.
    yield b'{"annotations":['
    for count, entry in enumerate(reading.counted(annotations)):
        yield (b",\n" if count else b"\n") + _WRITE(entry).encode()
    yield b'\n],\n"images":['
    for count, entry in enumerate(_images(images)):
        yield (b",\n" if count else b"\n") + _WRITE(entry).encode()
    categories = [{"id": number, "name": kind} for kind, number in CATEGORIES.items()]
    yield b'\n],\n"categories":' + _WRITE(categories).encode() + b"}\n"


def _annotations(reading: ExportSource, images: list[int]) -> Iterator[dict[str, Any]]:
    """Yield the masks in the order of the images, whose keys are added to `images`."""
    number = 0
    sizes, kept = reading.once(sizes_of), reading.once(kept_marks)
    for image, rows in groupby(reading.rows(_BY_IMAGE), key=attrgetter("image")):
        images.append(image)
        for row in rows:
            for entry in _masks(row, clean(row.said, complete=False), sizes[image], kept, reading):
                number += 1
                yield {"id": number, "image_id": image, **entry}


def _regions(reading: ExportSource, images: list[int]) -> Iterator[dict[str, Any]]:
    """Yield the region of the kept masks of each checked image, whose keys are added to `images`."""
    sizes = reading.once(sizes_of)
    for number, (row, found) in enumerate(checked_images(reading), 1):
        images.append(row.image)
        mask = found.region.scaled(*sizes[row.image])
        about = {"id": number, "image_id": row.image, "category_id": CATEGORIES[REGION], **_shape(mask)}
        yield {**about, "text": "" if reading.hidden else found.reference}


def _masks(
    row: AnnotationRow, marks: Marks, size: tuple[int, int], kept: KeptMarks, reading: ExportSource
) -> Iterator[dict[str, Any]]:
    masked = (defect for defect in marks.defects if defect.mask)
    for number, defect in enumerate(masked, 1):
        if defect.mask is None or defect.kind is None:
            continue
        mask = defect.mask.scaled(*size)
        vote = kept.get((row.image, row.annotator, number))
        yield {
            "category_id": CATEGORIES[defect.kind],
            **_shape(mask),
            "annotator": reading.name(row.annotator),
            # A description may name people, whom pseudonyms hide.
            "text": "" if reading.hidden else defect.text,
            **({} if vote is None else {"kept": vote.mask}),
        }


def _shape(mask: Mask) -> dict[str, Any]:
    return {"segmentation": mask.as_json(), "area": mask.area, "bbox": list(mask.box), "iscrowd": 1}


def _images(keys: list[int]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(keys), _AT_ONCE):
        chosen = keys[start : start + _AT_ONCE]
        rows = Image.objects.filter(pk__in=chosen).order_by("pk")
        for pk, name, width, height in rows.values_list("pk", "source_name", "width", "height"):
            yield {"id": pk, "file_name": name, "width": width, "height": height}
