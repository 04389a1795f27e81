"""The layouts of marks: the generic ones, and a row for each defect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from analysis.exports.columns import Column, Kind, Line, columns, count, one_of
from analysis.exports.defect.coco import coco_file, coco_regions
from analysis.exports.defect.had import had_file
from analysis.exports.defect.stages import DECISIONS, DESCRIPTIONS, REFERENCES, grid_columns, request_file
from analysis.exports.formats import COCO, HAD, REQUESTS
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import (
    ANSWER_COLUMNS,
    IMAGE_COLUMNS,
    ORIGIN_COLUMNS,
    SHA256,
    annotation_values,
    image_values,
    origin_values,
)
from analysis.exports.source import ExportSource
from annotator.protocols.defect.material import kept_marks
from scoring.defect.consolidation import CHECK
from scoring.defect.marks import DETAILS, EFFECTS, KINDS, MARKS, PARTS, Defect, clean
from scoring.defect.masks import place_of
from scoring.defect.quality import QUALITY
from scoring.defect.verdict import VERDICT

Layouts = tuple[Layout, ...]
_PIXELS: Final = "whole number of pixels of the grid"
_NO_MASK: Final = f"{_PIXELS}; missing without a mask"
COLUMNS: Final = (
    *IMAGE_COLUMNS,
    SHA256,
    Column(
        "defect",
        meaning="the defect within its annotation",
        values="`d1`, `d2`, …; empty if there is no defect",
    ),
    one_of(
        "kind",
        "against the build of a thing, or against physics or sense",
        tuple(KINDS),
        "empty without a defect",
    ),
    one_of("part", "the body part, where the batch asks for it", tuple(PARTS), "empty where it is not asked"),
    Column(
        "severity",
        meaning="how severe the defect is, where the batch asks for it",
        values="`a` mild, `b` moderate, `c` severe; empty where it is not asked",
        only=tuple(DETAILS["severity"]),
    ),
    Column("text", meaning="what is wrong, in the annotator's words", values="text; empty under pseudonyms"),
    Column(
        "place",
        meaning="where the centre of mass of the mask lies, in a grid of 3 × 3",
        values="`upper left`, `centre`, `lower right`, …; empty without a mask",
    ),
    Column(
        "area",
        Kind.NUMBER,
        "the share of the image that the mask covers",
        "number from 0 to 1; empty without a mask",
    ),
    count("pixels", "the area of the mask", _NO_MASK),
    *columns(
        Kind.INTEGER,
        *("x", "y", "width", "height"),
        meaning="the smallest rectangle around the mask, from the upper left",
        values=_NO_MASK,
        least=0,
    ),
    *grid_columns("mask"),
    Column(
        "counts",
        meaning="the mask, as the compressed run lengths of COCO",
        values="text; empty without a mask",
    ),
    *columns(
        Kind.INTEGER,
        *("kept_mask", "kept_text"),
        meaning="whether a check keeps the mask, the description",
        values="1 yes, 0 no; missing without a check that counts",
        least=0,
    ),
    one_of(
        "effect", "how the defects affect the image, by this annotator", EFFECTS, "empty without a defect"
    ),
    *ANSWER_COLUMNS,
    *ORIGIN_COLUMNS,
)


def defect_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every defect of every annotation; an annotation without any has one line without a defect."""
    text, number = reading.dialect.text, reading.dialect.number
    kept = reading.once(kept_marks)
    for row in reading.rows():
        marks = clean(row.said, complete=False)
        image = [*image_values(row, reading), row.sha256]
        grid = marks.size or (None, None)
        effect = "" if marks.effect is None else EFFECTS[marks.effect]
        about = [effect, *annotation_values(row, reading), *origin_values(row, reading)]
        masked = 0
        for defect in marks.defects or (Defect(""),):
            mask = defect.mask
            masked += mask is not None
            vote = kept.get((row.image, row.annotator, masked)) if mask else None
            yield [
                *image,
                *(defect.id, defect.kind or "", defect.part or "", defect.severity or ""),
                # A description may name people, whom pseudonyms hide.
                "" if reading.hidden else text(defect.text),
                place_of(mask) if mask else "",
                number(*mask.share.as_integer_ratio()) if mask else None,
                mask.area if mask else None,
                *(mask.box if mask else (None,) * 4),
                *(grid[1], grid[0]),
                text(str(mask.as_json()["counts"])) if mask else "",
                *((None, None) if vote is None else map(int, vote)),
                *about,
            ]


DEFECTS: Final = Layout(
    "defects",
    "Defects",
    "One row per defect: kind, description, place, mask. As COCO and HAD, too.",
    "one row per defect of each annotation; one without a defect where there is none",
    COLUMNS,
    defect_lines,
    in_parquet=True,
    with_attributes=True,
    own_formats={COCO: coco_file, HAD: had_file},
)
LAYOUTS: Final[Mapping[str, Callable[[Layouts], Layouts]]] = {
    VERDICT.slug: lambda generic: (DECISIONS, *generic),
    MARKS.slug: lambda generic: (DEFECTS, *generic),
    CHECK.slug: lambda generic: (
        replace(REFERENCES, own_formats={COCO: coco_regions, REQUESTS: request_file}),
        DECISIONS,
        *generic,
    ),
    QUALITY.slug: lambda generic: (DESCRIPTIONS, *generic),
}
"""The layouts of the family, by protocol, given the generic ones."""
