"""The agreement report as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from analysis.stats.estimates import TOO_LOW
from analysis.tables.agreement.coefficients import coefficient_tables
from analysis.tables.agreement.disagreements import disagreement_table
from analysis.tables.agreement.ladder import ladder_tables
from analysis.tables.estimates import PLACES, estimated
from analysis.tables.table import (
    Column,
    Table,
    TableCell,
    column,
    count,
    name,
    number,
    span,
    table_of,
    without_hints,
)
from annotator.batches.planning.design import ENOUGH_SHARED
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES

Words = tuple[str, str, str]

# Variable -> title, level of measurement in words, what it compares.
VARIABLES = {
    "cumulative_score": (
        "Cumulative score",
        "interval",
        "whether annotators give an image the same score; a small difference counts less than a large one",
    ),
    "overall_severity_all_images": (
        "Overall severity",
        "ordinal",
        "whether annotators put an image in the same band (low, medium, high); each annotator's bands are "
        "cut at the median and upper quartile of all their scores",
    ),
    "overall_severity": (
        "Overall severity, shared images",
        "ordinal",
        "the same bands, cut over the images that others annotated too (in a pair: that both annotated), as "
        "in the published study. Cut from few scores, alpha is too low",
    ),
    "cells": (
        "Cells",
        "binary, nominal",
        "whether annotators mark the same cells among the 25, regardless of severity",
    ),
    "cumulative_score_adjusted": (
        "Cumulative score, adjusted",
        "interval",
        "the score standardised by each annotator's mean and spread: whether annotators rank images alike, "
        "however strict they are. It complements the raw score and does not replace it",
    ),
}
# Key -> heading, title, the images of a row.
GROUPS = {
    "generator": ("Generator", "By generator", "the images of one text-to-image model"),
    "prompt": ("Prompt", "By prompt", "the images of one prompt"),
    "prompt_group": ("Prompt group", "By prompt group", "how many people the prompt asks for"),
    "batch": ("Batch", "By batch", "the images of one batch"),
    "quarter": (
        "Quarter",
        "Over time",
        "a quarter of the images, in the order of their last annotation",
    ),
}
PIECES = {
    "error_type": ("Error type", "By error type", ERROR_TYPE_TITLES),
    "body_part": ("Body part", "By body part", BODY_PART_TITLES),
}
INTERVALS = (
    "Brackets show the 95% interval from resampling images; it holds for these annotators and these prompts."
)
SCALE = (
    "Krippendorff's alpha: 1 is perfect agreement, 0 is chance, and below 0 annotators disagree more than by "
    "chance. By convention, values from 0.80 are reliable and values from 0.67 allow tentative conclusions."
)
OTHERS = "95% interval of the pooled alpha if other annotators like these annotated other images"
TOO_FEW_SCORES = "bands cut from"
ENOUGH = ENOUGH_SHARED
SHORT = f"With fewer than {ENOUGH} images, alpha is too low on average."


def agreement_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return the tables: all annotators, pairs, groups, and where agreement is lost."""
    by = result["by"]
    tables = [_overview(result)]
    if result["pairs"]:
        tables.append(_pairs(result["pairs"]))
    tables += [_group(key, by[key]) for key in GROUPS if by[key]["rows"] or by[key]["refused"]]
    tables += [_piece(key, by[key]) for key in PIECES]
    tables += [_map(by["cell"]), *ladder_tables(result["ladder"]), *coefficient_tables(result)]
    if result["disagreements"]["rows"]:
        tables.append(disagreement_table(result["disagreements"]))
    return tables


def _overview(result: Mapping[str, Any]) -> Table:
    """Return a row for each variable: its pooled alpha, then the mean of the pairs."""
    return table_of(
        "overall",
        "All annotators",
        f"{SCALE} {INTERVALS}",
        (
            column(name, "What is compared", "title"),
            column(name, "Level of measurement", "level"),
            column(cautioned, "Alpha, pooled", "alpha", "over all annotators at once"),
            column(_over_annotators, "Other annotators", "others", OTHERS),
            column(count, "Images", "alpha.n_units", "doubly annotated"),
            column(count, "Annotators", "alpha.n_coders"),
            column(
                _mean,
                "Mean of pairs",
                "mean",
                "unweighted mean of the pairs' alphas, as in the published study; of few images each, it is "
                "too low",
            ),
        ),
        [
            {
                "title": title,
                "level": level,
                "alpha": result["pooled"][key],
                "mean": _mean_of_pairs(result, key),
                "others": result["over_annotators"][key],
            }
            for key, (title, level, _) in VARIABLES.items()
        ]
        + [
            {
                "title": "Adjusted minus raw score",
                "level": "difference of the two",
                "alpha": result["adjusted_minus_raw"],
                "mean": None,
                "others": None,
            }
        ],
    )


def _over_annotators(found: Mapping[str, Any] | None) -> TableCell:
    return TableCell("–", numeric=True) if found is None else span(found)


def cautioned(found: Mapping[str, Any]) -> TableCell:
    """Return an estimate with its interval, and as a note what to consider before using it."""
    cell = estimated(found)
    return replace(cell, note=found["caution"]) if found.get("caution") else cell


def _mean_of_pairs(result: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the mean as an estimate, with a caution if its pairs share few images or are refused alone."""
    found = dict(result["mean_of_pairs_estimates"][key])
    pairs = result["pairs"]
    refused = [pair for pair in pairs if TOO_FEW_SCORES in (pair[key].get("refused") or "")]
    images = [pair["images"] for pair in pairs if pair[key].get("value") is not None]
    if refused and found["value"] is not None:
        found["caution"] = f"includes {len(refused)} of {len(pairs)} pairs with too few scores for bands"
    elif images and sum(images) < ENOUGH * len(images):
        found["caution"] = f"pairs share about {sum(images) / len(images):.0f} images: {TOO_LOW}"
    return found


def _mean(found: Mapping[str, Any] | None) -> TableCell:
    if found is None:
        return TableCell("–", numeric=True)
    if found["value"] is None:
        return number(None, PLACES, undefined="no pair has a value")
    if found["low"] is None and not found["refused"]:
        return number(found["value"], PLACES)
    return cautioned(found)


def alpha_columns() -> list[Column]:
    """Return a column for the alpha of each variable."""
    return [
        column(cautioned, title, key, f"alpha, {level}: {meaning}")
        for key, (title, level, meaning) in VARIABLES.items()
    ]


def _pairs(pairs: Sequence[Mapping[str, Any]]) -> Table:
    return table_of(
        "pairs",
        "Pair by pair",
        "Each row is two annotators and the images they share. With few images, alpha varies widely by "
        f"chance: check the intervals before you compare rows. {INTERVALS} {SHORT}",
        (
            column(name, "Annotators", lambda pair: " – ".join(pair["annotators"])),
            column(count, "Images", "images", "shared by both"),
            *alpha_columns(),
            column(
                cautioned,
                "Weighted kappa",
                "weighted_kappa_estimate",
                "Cohen's kappa of the bands of overall severity, shared images; quadratic weights",
            ),
        ),
        pairs,
        on_demand=True,
    )


def _group(key: str, found: Mapping[str, Any]) -> Table:
    """Return a row for each group, or the reason for having none."""
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
            # The table of pairs explains them.
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
    part = "alpha, interval: the part of the score from these cells"
    return table_of(
        f"by_{key}",
        title,
        f"Each row: the five cells of one {heading.lower()}, {_over(rows)}. {INTERVALS}",
        (
            column(name, heading, lambda row: titles[row["name"]]),
            column(count, "Cells marked", "marked", "by any annotator, in doubly annotated images"),
            column(estimated, "Cells", "cells", "alpha, binary: the same cells marked"),
            column(estimated, "Score", "cumulative_score", part),
        ),
        rows,
    )


def _over(rows: list[Mapping[str, Any]]) -> str:
    """Return the images and annotators that all parts of the grid share, as text."""
    images, coders = rows[0]["images"], rows[0]["cells"]["n_coders"]
    return f"pooled over {images:,} image{'' if images == 1 else 's'} and {coders:,} annotators"


def _map(rows: list[Mapping[str, Any]]) -> Table:
    found = {row["name"]: row["cells"] for row in rows}
    return table_of(
        "by_cell",
        "By cell",
        f"Alpha of each of the 25 cells, marked or not, {_over(rows)}. Where a cell is rarely marked, one "
        f"mark more or less changes alpha a lot. {INTERVALS}",
        (
            column(name, "Body part", "title"),
            *(column(estimated, title, error) for error, title in ERROR_TYPE_TITLES.items()),
        ),
        [
            {"title": title, **{error: found[f"{error}.{part}"] for error in ERROR_TYPE_TITLES}}
            for part, title in BODY_PART_TITLES.items()
        ],
    )
