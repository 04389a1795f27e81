"""The layouts of protocols without their own."""

from __future__ import annotations

from analysis.exports.generic.columns import (
    RATINGS_COLUMNS,
    images_columns,
    images_entries,
    ratings_entries,
    scores_columns,
    scores_entries,
)
from analysis.exports.generic.lines import images_lines, ratings_lines, scores_lines
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import images_layout
from scoring.protocol import Protocol


def generic_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return `scores`, `ratings` and `images` with a protocol's columns.

    Raise ValueError if two columns would have the same name.
    """
    headline = protocol.headline.title.lower()
    return (
        Layout(
            "scores",
            "Scores",
            f"One row per annotation: {headline} and a column for each component of each measure.",
            f"one row per annotation: {headline}, every measure by component",
            scores_columns(protocol),
            scores_entries(protocol),
            scores_lines,
            marks_drafts=True,
            in_parquet=True,
            with_attributes=True,
        ),
        Layout(
            "ratings",
            "Ratings",
            "One row per rating: measure, component, value.",
            "one row per rating",
            RATINGS_COLUMNS,
            ratings_entries(protocol),
            ratings_lines,
            marks_drafts=True,
            in_parquet=True,
            with_attributes=True,
        ),
        images_layout(images_columns(protocol), images_entries(protocol), images_lines),
    )
