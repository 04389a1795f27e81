"""Agreement reports stored before alphas had intervals, as two tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.agreement.agreement import (
    EVERYBODY,
    POOLED,
    SCALE,
    VARIABLES,
    alpha_columns,
    overview_table,
    pairs_table,
)
from analysis.tables.table import Table, TableCell, column, count, number

PLACES = 2
THEN = ("cumulative_score", "overall_severity", "overall_severity_all_images", "cells")
UNITS = "images annotated by at least two annotators; for cells, their cells"
COMPARED = "compare rows only if their numbers of images are large and similar."


def earlier_agreement_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return the tables: all annotators, then pairs."""
    variables = {key: VARIABLES[key] for key in THEN}
    pooled = column(_alpha, POOLED, "alpha", EVERYBODY)
    overall = overview_table(result, variables, SCALE, pooled, column(count, "Units", "alpha.units", UNITS))
    pairs = pairs_table(result["pairs"], COMPARED, alpha_columns(_alpha, variables))
    return [overall, pairs] if result["pairs"] else [overall]


def _alpha(value: Mapping[str, Any]) -> TableCell:
    """Return an alpha, or the reason for having none."""
    return number(value["alpha"], PLACES, undefined=f"not defined: {value['undefined']}")
