"""Agreement reports that were stored before alphas had intervals: two tables, as they were shown then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.agreement import MEAN_OF_PAIRS, POOLED, SCALE
from analysis.tables.agreement import VARIABLES as VARIABLES_NOW
from analysis.tables.table import Cell, Heading, Table, count, name, number

PLACES = 2
THEN = ("cumulative_score", "overall_severity", "overall_severity_all_images", "cells")
VARIABLES = {key: VARIABLES_NOW[key] for key in THEN}


def earlier_agreement_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return the tables: over all annotators, then pair by pair."""
    tables = [_overview(result)]
    if result["pairs"]:
        tables.append(_pairs(result["pairs"]))
    return tables


def _overview(result: Mapping[str, Any]) -> Table:
    return Table(
        slug="overall",
        title="All annotators",
        words=SCALE,
        headings=(
            Heading("What is compared"),
            Heading("Level of measurement"),
            POOLED,
            Heading(
                "Units", numeric=True, hint="images judged by at least two annotators; for cells, their cells"
            ),
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
        _alpha(pooled),
        count(pooled["units"]),
        number(result["mean_of_pairs"][variable], PLACES, undefined="no pair has a value"),
    )


def _alpha(value: Mapping[str, Any]) -> Cell:
    """An alpha, or why there is none."""
    return number(value["alpha"], PLACES, undefined=f"not defined: {value['undefined']}")


def _pairs(pairs: list[Mapping[str, Any]]) -> Table:
    return Table(
        slug="pairs",
        title="Pair by pair",
        words=(
            "Each row is two annotators and the images that both judged. With few images an alpha varies "
            "widely by chance: compare rows only where their numbers of images are large and alike."
        ),
        headings=(
            Heading("Annotators"),
            Heading("Images", numeric=True, hint="judged by both"),
            *(
                Heading(title, numeric=True, hint=f"alpha, {level}: {meaning}")
                for title, level, meaning in VARIABLES.values()
            ),
        ),
        rows=tuple(
            (
                name(" – ".join(pair["annotators"])),
                count(pair["images"]),
                *(_alpha(pair[variable]) for variable in VARIABLES),
            )
            for pair in pairs
        ),
    )
