"""The sizes that a difference needs, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from analysis.tables.table import Table, TableCell, column, count, number, rounded, table_of

PLACES: Final = 2

Result = Mapping[str, Any]
Row = Mapping[str, Any]


def size_tables(result: Result) -> list[Table]:
    """Return images and prompts for some differences; none if not computed."""
    sizes = result.get("sample_size")
    return [_table(sizes)] if sizes and sizes["rows"] else []


def _table(found: Result) -> Table:
    spread, level = rounded(found["standard_deviation"], PLACES), rounded(found["level"], PLACES)
    words = (
        f"Images per generator to find a difference between two generators with {100 * found['power']:.0f}% "
        f"probability, by a two-sided t test at {level}. The standard deviation of images, {spread}, is "
        "estimated from this project; the interval says how uncertain that makes the number."
    )
    if (images := found["images_per_prompt"]) is not None:
        words += (
            " More images of the same prompts say nothing about other prompts: for those, the last columns "
            f"have the number of prompts, each with {images} {'image' if images == 1 else 'images'} of every "
            "generator, as judged by these annotators (mixed model)."
        )
    return table_of(
        "sample_size",
        "Images needed to find a difference",
        words,
        (
            column(partial(number, places=PLACES), "Difference", "difference", "in points of score"),
            column(count, "Images per generator", "images"),
            column(partial(_range, low="low", high="high"), "95% interval", dict),
            column(_prompts, "Prompts", "prompts"),
            column(partial(_range, low="prompts_low", high="prompts_high"), "95% interval, prompts", dict),
        ),
        found["rows"],
    )


def _range(row: Row, low: str, high: str) -> TableCell:
    if row.get(low) is None:
        return TableCell("–", numeric=True)
    return TableCell(f"{row[low]:,} to {row[high]:,}", numeric=True)


def _prompts(value: int | None) -> TableCell:
    if value is None:
        return TableCell("–", numeric=True, note="the mixed model has no component of generator and prompt")
    return count(value)
