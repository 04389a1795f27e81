"""Coefficients beside alpha as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.tables.estimates import estimated
from analysis.tables.table import Table, column, name, table_of

CELLS: Final = {
    "raw_agreement": ("Raw agreement", "share of cells on which two annotators agree, marked or not"),
    "positive_agreement": (
        "Positive agreement",
        "if one annotator marks a cell, how often another annotator marks it too (Dice: cells that both mark "
        "count twice; the steps below count each cell once)",
    ),
    "negative_agreement": (
        "Negative agreement",
        "if one annotator leaves a cell unmarked, how often another annotator does too",
    ),
    "gwet_ac1": ("Gwet's AC1", "agreement beyond chance, where chance stays small if few cells are marked"),
}
RELIABILITY: Final = {
    "icc_agreement": ("ICC(A,1)", "share of the variance of one score that is due to the image"),
    "icc_consistency": ("ICC(C,1)", "the same, ignoring that some annotators are stricter than others"),
}
CORRELATIONS: Final = {"pearson": "Pearson's correlation", "spearman": "Spearman's correlation"}


def coefficient_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return the coefficients of cells and of scores."""
    found = result["coefficients"]
    return [_cells(found), _scores(found)]


def _cells(found: Mapping[str, Any]) -> Table:
    return table_of(
        "cell_coefficients",
        "Cells, beside alpha",
        "Alpha of cells is low where most cells are empty, although annotators agree on most cells. These "
        "coefficients tell both apart. Over doubly annotated images; brackets show the 95% interval.",
        _COLUMNS,
        [{"title": title, "estimate": found[key], "meaning": words} for key, (title, words) in CELLS.items()],
    )


def _scores(found: Mapping[str, Any]) -> Table:
    rows = []
    for population, where in (
        ("doubly_annotated", "doubly annotated images"),
        ("all_annotations", "all images"),
    ):
        rows += [
            {"title": f"{title}, {where}", "estimate": found[population][key], "meaning": words}
            for key, (title, words) in RELIABILITY.items()
        ]
    rows += [
        {
            "title": title,
            "estimate": found["correlations"][key],
            "meaning": "scores of the first annotator by code against the second",
        }
        for key, title in CORRELATIONS.items()
    ]
    return table_of(
        "score_coefficients",
        "What one score is worth",
        "How much the score of an image depends on who annotates it. Brackets show the 95% interval.",
        _COLUMNS,
        rows,
    )


_COLUMNS: Final = (
    column(name, "Coefficient", "title"),
    column(estimated, "Value", "estimate"),
    column(name, "Meaning", "meaning"),
)
