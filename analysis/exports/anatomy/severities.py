"""One line per annotation with the worst severity in each cell, and the same as a FACETS file.

FACETS fits the model of J. M. Linacre, Many-Facet Rasch Measurement (1989). Its file lists the elements of
each facet, then the data. Format: winsteps.com/facetman, pages Specification format, Labels, Models, Data.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from analysis.data.counting import NOTHING_READ
from analysis.exports.anatomy.cells import PLACES
from analysis.exports.columns import LINE_END, Kind, Line, columns
from analysis.exports.rows import AnnotationRow
from analysis.exports.shared_columns import ANSWER_COLUMNS, IMAGE_COLUMNS, annotation_values, image_values
from analysis.exports.source import ExportSource
from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation
from scoring.grid.taxonomy import CELLS, SEVERITIES, SEVERITY_TITLES

SEVERITIES_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    *columns(Kind.INTEGER, *(cell.heading for cell in CELLS)),
    *ANSWER_COLUMNS,
)
FACETS: Final = ("annotators", "generators", "prompts", "cells")
_LEVELS: Final = {severity: level for level, severity in enumerate(SEVERITIES, 1)}
# What separates values in FACETS, or begins a comment.
_SPECIAL: Final = re.compile(r"[,;=\s]+")
_PIECE: Final = 64 * 1024


def severities_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every annotation: 0 for no error in a cell, 1 to 3 for its worst severity."""
    for row in reading.rows():
        yield [*image_values(row, reading), *(worst(row) or _NONE), *annotation_values(row, reading)]


_NONE: Final[Sequence[None]] = [None] * len(CELLS)


def worst(row: AnnotationRow) -> list[int] | None:
    """Return the worst severity in each cell; None if the imported row was unreadable."""
    if row.status == Annotation.Status.SUBMITTED and says_nothing(row.said):
        return None
    found = [0] * len(CELLS)
    for mark in row.said["marks"]:
        place = PLACES[mark["type"], mark["part"]]
        found[place] = max(found[place], _LEVELS[mark["severity"]])
    return found


def facets_file(reading: ExportSource) -> Iterator[bytes]:
    """Yield the specification and data as one file, each annotation a line with its 25 cells."""
    elements: tuple[dict[str, int], ...] = ({}, {}, {})
    with tempfile.TemporaryFile() as file:
        for row in reading.rows():
            if row.status != Annotation.Status.SUBMITTED:
                continue
            levels = worst(row)
            if levels is None:
                reading.not_counted[NOTHING_READ] += 1
                continue
            names = (reading.name(row.annotator), row.generator, row.prompt)
            places = [
                known.setdefault(name, len(known) + 1) for known, name in zip(elements, names, strict=True)
            ]
            reading.lines += 1
            file.write(_line([*places, f"1-{len(CELLS)}", *levels]))
        file.seek(0)
        yield _specification(elements)
        yield from iter(lambda: file.read(_PIECE), b"")


def _specification(elements: Sequence[Mapping[str, int]]) -> bytes:
    """Return everything before the data; all facets are positive: more of each, more severe errors."""
    places = range(1, len(FACETS) + 1)
    lines = [
        "; Many-facet Rasch model of the worst severity in each cell",
        "Title = Severity of anatomical errors by cell",
        f"Facets = {len(FACETS)} ; {', '.join(FACETS)}",
        f"Positive = {','.join(map(str, places))} ; a higher measure means more severe errors",
        "Noncenter = 2 ; generators are measured relative to the other facets",
        "Inter-rater = 1",
        f"Models = {','.join('?' * len(FACETS))},Severity",
        f"Rating scale = Severity,R{len(SEVERITIES)},General,Keep",
        "0 = none",
        *(f"{_LEVELS[severity]} = {severity} {SEVERITY_TITLES[severity]}" for severity in SEVERITIES),
        "*",
        "Labels =",
        *_labels([*elements, {cell.key: place for place, cell in enumerate(CELLS, 1)}]),
        "Data =",
    ]
    return "".join(f"{line}{LINE_END}" for line in lines).encode()


def _labels(elements: Iterable[Mapping[str, int]]) -> Iterator[str]:
    for place, (facet, names) in enumerate(zip(FACETS, elements, strict=True), 1):
        yield f"{place}, {facet}"
        yield from (f"{number} = {_plain(name)}" for name, number in names.items())
        yield "*"


def _plain(text: str) -> str:
    return _SPECIAL.sub(" ", text).strip() or "unnamed"


def _line(values: Iterable[Any]) -> bytes:
    return (",".join(map(str, values)) + LINE_END).encode()
