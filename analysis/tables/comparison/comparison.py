"""The comparison report as tables: over images first, over annotations as published last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.comparison.balance import adjusted_tables, balance_tables
from analysis.tables.comparison.generator_tests import (
    image_tests_table,
    row_tests_table,
)
from analysis.tables.comparison.group_tests import group_tables
from analysis.tables.comparison.mixed import mixed_tables, prompt_table
from analysis.tables.comparison.summaries import SUMMARIES, annotation_table, image_table
from analysis.tables.comparison.weights import weights_table
from analysis.tables.table import Table


def comparison_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return the tables that have rows; the result's weights divide each bar into its severities."""
    weights = result["settings"]["weights"]
    by_image = {key: image_table(result, key, weights) for key in SUMMARIES}
    tables = [
        *balance_tables(result),
        by_image.pop("generators"),
        *mixed_tables(result),
        image_tests_table(result),
        prompt_table(result),
        weights_table(result),
        *adjusted_tables(result),
        *by_image.values(),
        *group_tables(result),
        annotation_table(result, "generators", weights),
        row_tests_table(result),
        *(annotation_table(result, key, weights) for key in SUMMARIES if key != "generators"),
    ]
    return [table for table in tables if table.rows]
