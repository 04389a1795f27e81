"""Masks as a COCO file, at the size of the images, written piece by piece.

Source of the format: https://cocodataset.org/#format-data, with run-length segmentation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from analysis.exports.defect.stages import checked_images
from analysis.exports.source import ExportSource
from annotator.models import Project
from annotator.protocols.defect.elsewhere import REGION
from annotator.protocols.defect.material import kept_marks
from scoring.defect.marks import KINDS, clean
from scoring.defect.masks import Mask

CATEGORIES: Final = {kind: number for number, kind in enumerate((*KINDS, REGION), 1)}
BY_IMAGE: Final = ("assignment__image_id", "pk")
_WRITE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
Entries = Iterator[dict[str, Any]]


def coco_file(reading: ExportSource) -> Iterator[bytes]:
    """Yield the annotated images, their defects with a mask and a kind, and the categories."""
    return _written(reading, _annotations)


def coco_regions(reading: ExportSource) -> Iterator[bytes]:
    """Yield the checked images, the region of each as one annotation, and the categories."""
    return _written(reading, _regions)


def images_of(project: Project, _: str) -> dict[int, dict[str, Any]]:
    """Return a project's images as COCO tells them, by id; one query."""
    names = ("id", "file_name", "width", "height")
    rows = project.images.order_by("pk").values_list("pk", "source_name", "width", "height")
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def pieces(entries: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield the inside of a list in JSON, an entry on each line."""
    for count, entry in enumerate(entries):
        yield (b",\n" if count else b"\n") + _WRITE(entry).encode()


def _written(
    reading: ExportSource, entries: Callable[[ExportSource, dict[int, None]], Entries]
) -> Iterator[bytes]:
    images: dict[int, None] = {}
    # Annotations come first, because reading them tells which images there are.
    yield b'{"annotations":['
    yield from pieces(reading.counted(entries(reading, images)))
    yield b'\n],\n"images":['
    known = reading.once(images_of)
    yield from pieces(known[image] for image in images)
    categories = [{"id": number, "name": kind} for kind, number in CATEGORIES.items()]
    yield b'\n],\n"categories":' + _WRITE(categories).encode() + b"}\n"


def _annotations(reading: ExportSource, images: dict[int, None]) -> Entries:
    """Yield the masks in the order of the images, whose keys are added to `images`."""
    known, kept = reading.once(images_of), reading.once(kept_marks)
    number = 0
    for row in reading.rows(BY_IMAGE):
        images[row.image] = None
        for place, (defect, mask) in enumerate(clean(row.said, complete=False).masked, 1):
            if defect.kind is not None:
                number += 1
                vote = kept.get((row.image, row.annotator, place))
                about = {"id": number, "image_id": row.image, "category_id": CATEGORIES[defect.kind]}
                yield {
                    **about,
                    **_shape(mask, known[row.image]),
                    "annotator": reading.name(row.annotator),
                    # A description may name people, whom pseudonyms hide.
                    "text": "" if reading.hidden else defect.text,
                    **({} if vote is None else {"kept": vote.mask}),
                }


def _regions(reading: ExportSource, images: dict[int, None]) -> Entries:
    """Yield the region of the kept masks of each checked image, whose keys are added to `images`."""
    known = reading.once(images_of)
    for number, (row, found) in enumerate(checked_images(reading), 1):
        images[row.image] = None
        about = {"id": number, "image_id": row.image, "category_id": CATEGORIES[REGION]}
        shape = _shape(found.region, known[row.image])
        yield {**about, **shape, "text": "" if reading.hidden else found.reference}


def _shape(mask: Mask, image: Mapping[str, Any]) -> dict[str, Any]:
    shown = mask.scaled(image["height"], image["width"])
    return {"segmentation": shown.as_json(), "area": shown.area, "bbox": list(shown.box), "iscrowd": 1}
