"""The agreement report as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from analysis.tables.agreement.disagreements import disagreement_table
from analysis.tables.agreement.ladder import ladder_tables
from analysis.tables.estimates import PLACES, estimated
from analysis.tables.table import Cell, Column, Table, column, count, name, number, table_of, without_hints
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES

Words = tuple[str, str, str]

# Variable -> title, level of measurement in words, what it compares.
VARIABLES = {
    "cumulative_score": (
        "Cumulative score",
        "interval",
        "whether annotators give an image the same score; a small difference counts less than a large one",
    ),
    "overall_severity": (
        "Overall severity",
        "ordinal",
        "whether annotators put an image in the same band (low, medium, high); each annotator's bands are "
        "cut at the median and the upper quartile of their scores over the images the two share",
    ),
    "overall_severity_all_images": (
        "Overall severity, all images",
        "ordinal",
        "the same bands, cut over all images that the annotator judged",
    ),
    "cells": (
        "Cells",
        "binary, nominal",
        "whether annotators mark an error in the same of the 25 cells, whatever its severity",
    ),
    "cumulative_score_adjusted": (
        "Cumulative score, adjusted",
        "interval",
        "the score after each annotator's own mean and spread are taken out: whether annotators order images "
        "alike, however strict each of them is. It stands beside the raw score and never replaces it",
    ),
}
# Key -> heading, title, which images a row is about.
GROUPS = {
    "generator": ("Generator", "By generator", "the images of one text-to-image model"),
    "prompt": ("Prompt", "By prompt", "the images of one prompt"),
    "prompt_group": ("Prompt group", "By prompt group", "how many people the prompt asks for"),
    "batch": ("Batch", "By batch", "the images of one batch"),
    "quarter": (
        "Quarter",
        "Over time",
        "a quarter of the images, in the order in which their last answer came",
    ),
}
PIECES = {
    "error_type": ("Error type", "By error type", ERROR_TYPE_TITLES),
    "body_part": ("Body part", "By body part", BODY_PART_TITLES),
}
INTERVALS = "In brackets: the 95 % interval, from resampling images."
SCALE = (
    "Krippendorff's alpha: 1 is perfect agreement, 0 is what chance alone would give, and below 0 annotators "
    "disagree more than by chance. By custom, values from 0.80 are relied on and values from 0.67 allow "
    "tentative conclusions."
)
POOLED, EVERYBODY = "Alpha, pooled", "over all annotators at once"
# Measured in simulations: docs/reference/statistics.md.
ENOUGH = 40
SHORT = f"With fewer than {ENOUGH} images that interval is likely too short."


def agreement_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return the tables: over all annotators, pair by pair, then where agreement is lost and what to do."""
    by = result["by"]
    tables = [_overview(result)]
    if result["pairs"]:
        tables.append(_pairs(result["pairs"]))
    tables += [_group(key, by[key]) for key in GROUPS if by[key]["rows"] or by[key]["refused"]]
    tables += [_piece(key, by[key]) for key in PIECES]
    tables += [_map(by["cell"]), *ladder_tables(result["ladder"]), _planner(result["planner"])]
    if result["disagreements"]["rows"]:
        tables.append(disagreement_table(result["disagreements"]))
    return tables


def _overview(result: Mapping[str, Any]) -> Table:
    return overview_table(
        result,
        VARIABLES,
        f"{SCALE} {INTERVALS}",
        column(estimated, POOLED, "alpha", EVERYBODY),
        column(count, "Images", "alpha.n_units", "judged by at least two annotators"),
        column(count, "Annotators", "alpha.n_coders"),
    )


def overview_table(
    result: Mapping[str, Any], variables: Mapping[str, Words], words: str, *columns: Column
) -> Table:
    """A row for each variable: `columns` of its pooled `alpha` stand before the mean of the pairs."""
    return table_of(
        "overall",
        "All annotators",
        words,
        (
            column(name, "What is compared", "title"),
            column(name, "Level of measurement", "level"),
            *columns,
            column(
                partial(number, places=PLACES, undefined="no pair has a value"),
                "Mean of pairs",
                "mean",
                "the plain mean of the pairs' alphas, as the published study reports",
            ),
        ),
        [
            {
                "title": title,
                "level": level,
                "alpha": result["pooled"][key],
                "mean": result["mean_of_pairs"][key],
            }
            for key, (title, level, _) in variables.items()
        ],
    )


def alpha_columns(
    make: Callable[[Any], Cell] = estimated, variables: Mapping[str, Words] = VARIABLES
) -> list[Column]:
    """A column of the alpha of each variable."""
    return [
        column(make, title, key, f"alpha, {level}: {meaning}")
        for key, (title, level, meaning) in variables.items()
    ]


def _pairs(pairs: list[Mapping[str, Any]]) -> Table:
    return pairs_table(
        pairs, f"look at the intervals before comparing rows. {INTERVALS} {SHORT}", alpha_columns()
    )


def pairs_table(pairs: Sequence[Mapping[str, Any]], how: str, alphas: Iterable[Column]) -> Table:
    """A row for each pair of annotators; `how` says how to compare them."""
    return table_of(
        "pairs",
        "Pair by pair",
        "Each row is two annotators and the images that both judged. With few images an alpha varies "
        f"widely by chance: {how}",
        (
            column(name, "Annotators", lambda pair: " – ".join(pair["annotators"])),
            column(count, "Images", "images", "judged by both"),
            *alphas,
        ),
        pairs,
        on_demand=True,
    )


def _group(key: str, found: Mapping[str, Any]) -> Table:
    """A row for each group; without any row, why there is none."""
    heading, title, meaning = GROUPS[key]
    words = f"Each row: {meaning}, pooled over all annotators. {INTERVALS} {SHORT}"
    return table_of(
        f"by_{key}",
        title,
        words if found["rows"] else f"Cannot be computed: {found['refused']}.",
        (
            column(name, heading, _group_name),
            column(count, "Images", "images"),
            column(count, "Annotators", "cells.n_coders"),
            # They mean the same in every table: that of pairs explains them.
            *without_hints(alpha_columns()),
        ),
        found["rows"],
    )


def _group_name(row: Mapping[str, Any]) -> str:
    if "from" in row:
        return f"{row['name']}: {row['from'][:10]} to {row['to'][:10]}"
    return str(row["name"])


def _piece(key: str, rows: list[Mapping[str, Any]]) -> Table:
    heading, title, titles = PIECES[key]
    part = "alpha, interval: the part of the score that falls to these cells"
    return table_of(
        f"by_{key}",
        title,
        f"Each row: the five cells of one {heading.lower()}, {_over(rows)}. {INTERVALS}",
        (
            column(name, heading, lambda row: titles[row["name"]]),
            column(count, "Cells marked", "marked", "by anybody, in images judged by at least two"),
            column(estimated, "Cells", "cells", "alpha, binary: the same of these cells marked"),
            column(estimated, "Score", "cumulative_score", part),
        ),
        rows,
    )


def _over(rows: list[Mapping[str, Any]]) -> str:
    """The images and annotators that all pieces of the grid have in common."""
    images, coders = rows[0]["images"], rows[0]["cells"]["n_coders"]
    return f"pooled over {images:,} image{'' if images == 1 else 's'} and {coders:,} annotators"


def _map(rows: list[Mapping[str, Any]]) -> Table:
    found = {row["name"]: row["cells"] for row in rows}
    return table_of(
        "by_cell",
        "By cell",
        f"Alpha of each of the 25 cells, marked or not, {_over(rows)}. A cell that is hardly "
        f"ever marked has a value near 0 whatever the annotators do. {INTERVALS}",
        (
            column(name, "Error type", "title"),
            *(column(estimated, title, part) for part, title in BODY_PART_TITLES.items()),
        ),
        [
            {"title": title, **{part: found[f"{error}.{part}"] for part in BODY_PART_TITLES}}
            for error, title in ERROR_TYPE_TITLES.items()
        ],
    )


def _planner(planner: Mapping[str, Any]) -> Table:
    widths: list[Mapping[str, Any]] = next((row["needed"] for row in planner["rows"] if row["needed"]), [])
    return table_of(
        "planner",
        "How many images to judge twice",
        "How many images at least two annotators have to judge for an interval of the width named, if "
        f"further images and annotators are like those so far. {planner['formula']}.",
        (
            column(name, "What is compared", lambda row: VARIABLES[row["name"]][0]),
            column(_now, "Now", dict, "half the width of the interval with the images at hand"),
            *(
                column(_needed, f"± {each['width']:.2f}", partial(_of_width, place))
                for place, each in enumerate(widths)
            ),
        ),
        planner["rows"],
    )


def _now(row: Mapping[str, Any]) -> Cell:
    if row["refused"]:
        return Cell("–", numeric=True, note=row["refused"])
    return Cell(f"± {row['half_width_now']:.2f}", numeric=True)


def _of_width(place: int, row: Mapping[str, Any]) -> int | None:
    return None if row["refused"] else row["needed"][place]["images"]


def _needed(images: int | None) -> Cell:
    return Cell("–", numeric=True) if images is None else count(images)
