"""Figures on pages open the images behind their marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from analysis.figures.figure import Figure, Row
from analysis.tables.links import filter_of, query_of, severity_of

LINK: Final = "link"
"""The field of a drawn row with its filter of the gallery, read by charts.js."""


def linked(figure: Figure) -> Figure:
    """Return the figure with a filter of the gallery in each drawn row that stands for images."""
    titles = {column.key: column.title for column in figure.columns}
    drawn = {data: [_linked(row, titles) for row in rows] for data, rows in figure.drawn.items()}
    return replace(figure, drawn=drawn)


def _linked(row: Row, titles: Mapping[str, str]) -> Row:
    found = [
        each
        for key, title in titles.items()
        if isinstance(row.get(key), str)
        for each in filter_of(title, row[key])
    ]
    if isinstance(row.get("severity"), str):
        found += severity_of(row["severity"])
    found += _scores(row)
    return {**row, LINK: query_of(found)} if found else row


def _scores(row: Row) -> list[tuple[str, str]]:
    """Return the scores of a bar's images."""
    if "from" not in row:
        return []
    return [("score_min", f"{row['from']:g}"), ("score_max", f"{row['to']:g}")]
