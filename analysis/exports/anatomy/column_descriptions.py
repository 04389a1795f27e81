"""Column descriptions of the anatomy protocol's exports."""

from __future__ import annotations

from typing import Final

from analysis.exports.column_descriptions import ColumnDescription, of
from scoring.grid import taxonomy
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES

HEADINGS: Final = tuple(cell.heading for cell in CELLS)
SUMS: Final = tuple(f"severity_{severity}" for severity in taxonomy.SEVERITIES)
THE_CELLS: Final = "the 25 cells"
PARTS_OF_ONE: Final = "error fractions"
WEIGHTED: Final = "weighted error fractions"

PEOPLE: Final = of(
    "people", "the people of the image as the annotator counted them", "count; missing if not counted"
)
COUNTS: Final = tuple(
    ColumnDescription(
        tuple(f"{kind}_{part}" for part in BODY_PARTS),
        meaning,
        "count; missing if not counted",
        "body parts",
        least=0,
        shown=f"`{kind}_PART`",
    )
    for kind, meaning in (
        ("expected", "body parts that the people of the image should have, as the annotator counted them"),
        ("visible", "body parts of the image that are visible, as the annotator counted them"),
    )
)
SHEET: Final = (
    ColumnDescription(
        HEADINGS,
        "the marks of the cell",
        "[notation](#the-notation-of-a-cell); empty without an error",
        shown=THE_CELLS,
    ),
)
SCORES: Final = (
    ColumnDescription(
        HEADINGS,
        "cell score: the weighted sum of the cell's error fractions",
        "number from 0, no unit; `0` without an error",
        WEIGHTED,
        least=0,
        shown=THE_CELLS,
    ),
    of(
        "cumulative_score",
        "sum of the 25 cell scores (Equation 2)",
        "number from 0, no upper limit",
        unit=WEIGHTED,
        least=0,
    ),
    ColumnDescription(
        SUMS,
        "error fractions of one severity, summed over all cells *without* weights",
        "number from 0",
        PARTS_OF_ONE,
        least=0,
    ),
    of(
        "overall_severity",
        "the band of the cumulative score: low ≤ 0.5 quantile < medium ≤ 0.75 quantile < high. Population: "
        "the annotator's own scores of all images that they annotated in the project, whatever the filters, "
        "the latest annotation of each; quantiles by linear interpolation. With fewer than 20 scores, bands "
        "are uncertain",
        "`low`, `medium`, `high`; empty unless submitted, and for annotators with fewer than 8 scores",
        only=("low", "medium", "high"),
    ),
    PEOPLE,
    *COUNTS,
)
MARKS: Final = (
    of("error_type", "kind of error", ", ".join(f"`{name}`" for name in ERROR_TYPES), only=ERROR_TYPES),
    of("body_part", "body part", ", ".join(f"`{name}`" for name in BODY_PARTS), only=BODY_PARTS),
    of(
        "severity",
        "mild, moderate or severe",
        ", ".join(f"`{name}`" for name in taxonomy.SEVERITIES),
        only=taxonomy.SEVERITIES,
    ),
    of("affected", "body parts that show the error", "count, 1 to `total`", unit="body parts", least=1),
    of(
        "total",
        "body parts it is counted out of: expected ones for missing and extra, visible ones otherwise",
        "count, 1 to 99; missing in a draft that has none yet",
        unit="body parts",
        least=1,
    ),
    of(
        "own_total",
        "whether the total was entered for this mark, independently of the image's count",
        "`true`, `false`; `true` for imported marks",
    ),
    of(
        "error_fraction",
        "`affected / total` (Equation 1)",
        "number above 0, up to 1",
        unit=PARTS_OF_ONE,
        least=0,
    ),
    of(
        "weight",
        "the severity's weight in this project",
        "number from 0; published: 0.2, 0.5, 1",
        least=0,
    ),
    of("score", "`error_fraction × weight`", "number from 0", unit=WEIGHTED, least=0),
    of(
        "pins",
        "positions of the mark in the image",
        "`x y; x y`: fractions of width and height from the top left corner, 0 to 1; empty without pins",
        unit="parts of width and height",
    ),
    PEOPLE,
    *COUNTS,
)
IMAGES: Final = (
    ColumnDescription(
        (*HEADINGS, "cumulative_score", *SUMS),
        "as in [scores](#scores): the adjudicated value where there is one, otherwise the mean",
        "number from 0",
        WEIGHTED,
        least=0,
        shown=f"{THE_CELLS}, `cumulative_score`, {', '.join(f'`{name}`' for name in SUMS)}",
    ),
)
