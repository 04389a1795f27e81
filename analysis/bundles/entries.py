"""One description per column: the data dictionary of a bundle, and the tables of docs/data-formats.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scoring.anatomy.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES, SEVERITIES

HEADINGS: Final = tuple(cell.heading for cell in CELLS)
SUMS: Final = tuple(f"severity_{severity}" for severity in SEVERITIES)
THE_CELLS: Final = "the 25 cells"
PARTS_OF_ONE: Final = "error fractions"
WEIGHTED: Final = "weighted error fractions"


@dataclass(frozen=True)
class Entry:
    """What one column, or several that mean the same, holds; `meaning` and `values` as the page has them.

    `only` are the values that occur, where they can be counted; `least` the smallest one; `moment` says that
    a text is a time; `shown` is how the page names many columns at once.
    """

    names: tuple[str, ...]
    meaning: str
    values: str
    unit: str = ""
    only: tuple[str, ...] = ()
    least: int | None = None
    moment: bool = False
    shown: str = ""

    @property
    def documented(self) -> str:
        """The line of the table in docs/data-formats.md."""
        shown = self.shown or ", ".join(f"`{name}`" for name in self.names)
        return f"| {shown} | {self.meaning} | {self.values} |"


def _of(name: str, meaning: str, values: str, **more: object) -> Entry:
    return Entry((name,), meaning, values, **more)  # type: ignore[arg-type]


SHARED: Final = (
    _of(
        "Image Id",
        "the id of the imported row, or one made in the same way: generator, prompt and number joined by `_`",
        "text, `dall-e3_couple hugging_01`",
    ),
    _of("Model", "the generator: the text-to-image model that made the image", "text"),
    _of("Prompt", "the prompt it was given", "text"),
    _of(
        "Pic Num.",
        "the image's number within generator and prompt",
        "whole number from 0; missing if it has none",
        least=0,
    ),
    _of("batch", "the batch in which the image was given out", "text"),
    _of(
        "status",
        "whether the annotation counts",
        "`submitted`; among drafts asked for also `draft` and `reopened`",
        only=("submitted", "draft", "reopened"),
    ),
    _of(
        "Annotator",
        "the code under which the person appears in this project, or a [pseudonym](#pseudonyms)",
        "text; always the last column",
    ),
)
SHEET: Final = (
    Entry(
        HEADINGS,
        "the marks of the cell",
        "[notation](#the-notation-of-a-cell); empty without an error",
        shown=THE_CELLS,
    ),
)
SCORES: Final = (
    Entry(
        HEADINGS,
        "cell score: the weighted sum of the cell's error fractions",
        "number from 0, no unit; `0` without an error",
        WEIGHTED,
        least=0,
        shown=THE_CELLS,
    ),
    _of(
        "cumulative_score",
        "sum of the 25 cell scores (Equation 2)",
        "number from 0, no upper end",
        unit=WEIGHTED,
        least=0,
    ),
    Entry(
        SUMS,
        "error fractions of one severity, summed over all cells *without* weights",
        "number from 0",
        PARTS_OF_ONE,
        least=0,
    ),
    _of(
        "overall_severity",
        "the band of the cumulative score: low ≤ 0.5 quantile < medium ≤ 0.75 quantile < high. Population: "
        "the annotator's own scores of all images that they judged in the project, whatever the filters, the "
        "latest annotation of each; quantiles by linear interpolation",
        "`low`, `medium`, `high`; empty unless submitted",
        only=("low", "medium", "high"),
    ),
    _of(
        "submitted_at",
        "when the annotation was submitted; for imported ones, when they were imported",
        "`2026-03-01T09:30:00Z`, always UTC; empty for drafts",
        moment=True,
    ),
)
MARKS: Final = (
    _of("error_type", "kind of error", ", ".join(f"`{name}`" for name in ERROR_TYPES), only=ERROR_TYPES),
    _of("body_part", "body part", ", ".join(f"`{name}`" for name in BODY_PARTS), only=BODY_PARTS),
    _of(
        "severity", "mild, moderate or severe", ", ".join(f"`{name}`" for name in SEVERITIES), only=SEVERITIES
    ),
    _of("affected", "body parts that show the error", "count, 1 to `total`", unit="body parts", least=1),
    _of(
        "total",
        "body parts it is counted out of: expected ones for missing and extra, visible ones otherwise",
        "count, 1 to 99; missing in a draft that has none yet",
        unit="body parts",
        least=1,
    ),
    _of(
        "own_total",
        "whether the total was given with this mark and does not follow the image's count",
        "`true`, `false`; `true` for imported marks",
    ),
    _of(
        "error_fraction",
        "`affected / total` (Equation 1)",
        "number above 0, up to 1",
        unit=PARTS_OF_ONE,
        least=0,
    ),
    _of(
        "weight",
        "the severity's weight in this project",
        "number from 0; published: 0.2, 0.5, 1",
        least=0,
    ),
    _of("score", "`error_fraction × weight`", "number from 0", unit=WEIGHTED, least=0),
    _of(
        "pins",
        "where in the image the annotator put the mark",
        "`x y; x y`: parts of width and height from the upper left corner, 0 to 1; empty without pins",
        unit="parts of width and height",
    ),
)
IMAGES: Final = (
    _of("prompt_group", "the group of the prompt", "text"),
    _of("sha256", "hash of the image file as it came", "64 hexadecimal digits"),
    Entry(
        (*HEADINGS, "cumulative_score", *SUMS),
        "as in [scores](#scores): the adjudicated value where there is one, otherwise the mean",
        "number from 0",
        WEIGHTED,
        least=0,
        shown=f"{THE_CELLS}, `cumulative_score`, {', '.join(f'`{name}`' for name in SUMS)}",
    ),
    _of(
        "value",
        "how the row's scores came about: one annotation, the mean of several, or what a lead has settled",
        "`single`, `mean`, `adjudicated`; `unread` where nothing of any answer was read",
        only=("single", "mean", "adjudicated", "unread"),
    ),
    _of(
        "annotations",
        "annotations of the image in this file, one of each annotator; the mean is taken of them",
        "count; 0 where nothing of any answer was read",
        unit="annotations",
        least=0,
    ),
    _of("annotators", "who made them, joined by `; `", "text"),
)
REPORT: Final = (
    _of(
        "table",
        "the part of the report: its keys, joined by `.`",
        "text, `pairs`, `by.generator`, `generator_comparisons`",
    ),
    _of(
        "of",
        "what the number is about, joined by ` – `",
        "text, `anno1 – anno2`; empty where it is about everything",
    ),
    _of("statistic", "the number's key", "text, `cumulative_score`, `severity.a`"),
    _of("value", "the number", "number; missing where it is not defined"),
    Entry(("low", "high"), "its 95 % interval", "numbers; missing where there is none"),
    Entry(
        ("n_units", "n_coders"),
        "images (prompts where the prompt is the unit) and annotators it rests on",
        "counts; missing where not counted",
        "images or prompts; annotators",
        least=0,
    ),
    _of(
        "computed_by",
        "of an alpha: what its value came from, see the methods",
        "`krippendorff`, `closed form`; empty for other numbers and for results stored without it",
    ),
    _of("method", "how the interval was made", "text"),
    _of("refused", "why a number or an interval is missing", "text"),
    _of("computed_at", "when the report was finished", "`2026-03-01T09:30:00Z`, UTC", moment=True),
)
PICTURES: Final = (
    _of(
        "file",
        "where the picture lies in the bundle",
        "text, `images/….png`; empty where only its hash is in it",
    ),
    _of("sha256", "hash of the picture's file", "64 hexadecimal digits"),
    _of("format", "how it is encoded", "`PNG`, `JPEG`, `WEBP`", only=("PNG", "JPEG", "WEBP")),
    Entry(("width", "height"), "its size, upright", "count from 1", "pixels", least=1),
    _of("prompt_group", "the group of the prompt", "text; empty where it has none"),
    _of("source_name", "the name of the file that was imported", "text"),
)
PLAN: Final = (
    _of("sha256", "the image, by the hash of its file", "64 hexadecimal digits"),
    _of(
        "position",
        "the place in the annotator's queue",
        "whole number from 1 in released batches; missing where it was given to somebody else",
        least=0,
    ),
    _of(
        "assignment",
        "where it stands",
        "`open`, `done`, `skipped`, `withdrawn`",
        only=("open", "done", "skipped", "withdrawn"),
    ),
    Entry(
        ("prompt_seen", "generator_seen"),
        "whether the annotators of the batch saw the prompt, and the generator",
        "`shown`, `hidden`; `varied`: shown for part of the time; `unknown`: imported, and nobody has said",
        only=("shown", "hidden", "varied", "unknown"),
    ),
)
DICTIONARY: Final = (
    _of("table", "the file in `data/`, without its ending", "text"),
    _of("column", "the column's heading", "text"),
    _of("type", "what its values are", "`string`, `integer`, `number`, `boolean`, `datetime`"),
    _of("meaning", "what it says", "text"),
    _of("unit", "what is counted or measured", "text; empty without a unit"),
    _of("values", "which values occur, and when one is missing", "text"),
)
TABLES: Final = {
    "sheet": SHEET,
    "scores": SCORES,
    "marks": MARKS,
    "images": IMAGES,
    "agreement": REPORT,
    "comparison": REPORT,
    "pictures": PICTURES,
    "plan": PLAN,
    "dictionary": DICTIONARY,
}
