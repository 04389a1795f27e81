"""The agreement report as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.disagreements import disagreement_table
from analysis.tables.estimates import PLACES, estimated
from analysis.tables.ladder import ladder_tables
from analysis.tables.table import Cell, Heading, Row, RowsOnDemand, Table, count, name, number
from scoring.grid.taxonomy import BODY_PART_TITLES, CELLS, ERROR_TYPE_TITLES

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
POOLED = Heading("Alpha, pooled", numeric=True, hint="over all annotators at once")
MEAN_OF_PAIRS = Heading(
    "Mean of pairs",
    numeric=True,
    hint="the plain mean of the pairs' alphas, as the published study reports",
)
# Measured in simulations: docs/statistics.md.
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
    return Table(
        slug="overall",
        title="All annotators",
        words=f"{SCALE} {INTERVALS}",
        headings=(
            Heading("What is compared"),
            Heading("Level of measurement"),
            POOLED,
            Heading("Images", numeric=True, hint="judged by at least two annotators"),
            Heading("Annotators", numeric=True),
            MEAN_OF_PAIRS,
        ),
        rows=tuple(_overview_row(result, variable) for variable in VARIABLES),
    )


def _overview_row(result: Mapping[str, Any], variable: str) -> tuple[Cell, ...]:
    title, level, _ = VARIABLES[variable]
    pooled = result["pooled"][variable]
    return (
        name(title),
        Cell(level),
        estimated(pooled),
        count(pooled["n_units"]),
        count(pooled["n_coders"]),
        number(result["mean_of_pairs"][variable], PLACES, undefined="no pair has a value"),
    )


def _alphas() -> tuple[Heading, ...]:
    return tuple(
        Heading(title, numeric=True, hint=f"alpha, {level}: {meaning}")
        for title, level, meaning in VARIABLES.values()
    )


def _pairs(pairs: list[Mapping[str, Any]]) -> Table:
    return Table(
        slug="pairs",
        title="Pair by pair",
        words=(
            "Each row is two annotators and the images that both judged. With few images an alpha varies "
            f"widely by chance: look at the intervals before comparing rows. {INTERVALS} {SHORT}"
        ),
        headings=(Heading("Annotators"), Heading("Images", numeric=True, hint="judged by both"), *_alphas()),
        rows=RowsOnDemand(pairs, _pair_row),
    )


def _pair_row(pair: Mapping[str, Any]) -> Row:
    return (
        name(" – ".join(pair["annotators"])),
        count(pair["images"]),
        *(estimated(pair[variable]) for variable in VARIABLES),
    )


def _group(key: str, found: Mapping[str, Any]) -> Table:
    """A row for each group; without any row, why there is none."""
    heading, title, meaning = GROUPS[key]
    words = f"Each row: {meaning}, pooled over all annotators. {INTERVALS} {SHORT}"
    return Table(
        slug=f"by_{key}",
        title=title,
        words=words if found["rows"] else f"Cannot be computed: {found['refused']}.",
        headings=(
            Heading(heading),
            Heading("Images", numeric=True),
            Heading("Annotators", numeric=True),
            *_without_hints(),
        ),
        rows=tuple(
            (
                name(_group_name(row)),
                count(row["images"]),
                count(row["cells"]["n_coders"]),
                *(estimated(row[variable]) for variable in VARIABLES),
            )
            for row in found["rows"]
        ),
    )


def _without_hints() -> tuple[Heading, ...]:
    # The columns mean the same in every table: the table of pairs explains them.
    return tuple(Heading(title, numeric=True) for title, _, _ in VARIABLES.values())


def _group_name(row: Mapping[str, Any]) -> str:
    if "from" in row:
        return f"{row['name']}: {row['from'][:10]} to {row['to'][:10]}"
    return str(row["name"])


def _piece(key: str, rows: list[Mapping[str, Any]]) -> Table:
    heading, title, titles = PIECES[key]
    return Table(
        slug=f"by_{key}",
        title=title,
        words=f"Each row: the five cells of one {heading.lower()}, {_over(rows)}. {INTERVALS}",
        headings=(
            Heading(heading),
            Heading("Cells marked", numeric=True, hint="by anybody, in images judged by at least two"),
            Heading("Cells", numeric=True, hint="alpha, binary: the same of these cells marked"),
            Heading(
                "Score", numeric=True, hint="alpha, interval: the part of the score that falls to these cells"
            ),
        ),
        rows=tuple(
            (
                name(titles[row["name"]]),
                count(row["marked"]),
                estimated(row["cells"]),
                estimated(row["cumulative_score"]),
            )
            for row in rows
        ),
    )


def _over(rows: list[Mapping[str, Any]]) -> str:
    """The images and annotators that all pieces of the grid have in common."""
    images, coders = rows[0]["images"], rows[0]["cells"]["n_coders"]
    return f"pooled over {images:,} image{'' if images == 1 else 's'} and {coders:,} annotators"


def _map(rows: list[Mapping[str, Any]]) -> Table:
    found = {row["name"]: row["cells"] for row in rows}
    grid = {
        error: [found[cell.key] for cell in CELLS if cell.error_type == error] for error in ERROR_TYPE_TITLES
    }
    return Table(
        slug="by_cell",
        title="By cell",
        words=(
            f"Alpha of each of the 25 cells, marked or not, {_over(rows)}. A cell that is hardly "
            f"ever marked has a value near 0 whatever the annotators do. {INTERVALS}"
        ),
        headings=(
            Heading("Error type"),
            *(Heading(title, numeric=True) for title in BODY_PART_TITLES.values()),
        ),
        rows=tuple(
            (name(ERROR_TYPE_TITLES[error]), *map(estimated, values)) for error, values in grid.items()
        ),
    )


def _planner(planner: Mapping[str, Any]) -> Table:
    widths: list[Mapping[str, Any]] = next((row["needed"] for row in planner["rows"] if row["needed"]), [])
    return Table(
        slug="planner",
        title="How many images to judge twice",
        words=(
            "How many images at least two annotators have to judge for an interval of the width named, if "
            f"further images and annotators are like those so far. {planner['formula']}."
        ),
        headings=(
            Heading("What is compared"),
            Heading("Now", numeric=True, hint="half the width of the interval with the images at hand"),
            *(Heading(f"± {each['width']:.2f}", numeric=True) for each in widths),
        ),
        rows=tuple(_planner_row(row, len(widths)) for row in planner["rows"]),
    )


def _planner_row(row: Mapping[str, Any], widths: int) -> tuple[Cell, ...]:
    title = name(VARIABLES[row["name"]][0])
    if row["refused"]:
        empty = Cell("–", numeric=True)
        return (title, Cell("–", numeric=True, note=row["refused"]), *(empty for _ in range(widths)))
    now = Cell(f"± {row['half_width_now']:.2f}", numeric=True)
    return (title, now, *(count(each["images"]) for each in row["needed"]))
