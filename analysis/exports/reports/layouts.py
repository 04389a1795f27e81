"""Layouts for the numbers of the newest reports, for any protocol."""

from __future__ import annotations

from functools import partial
from typing import Final

from analysis.exports.column_descriptions import ColumnDescription, of
from analysis.exports.layout import Layout
from analysis.exports.reports.lines import REPORT_COLUMNS, report_lines

REPORT: Final = (
    of(
        "table",
        "the part of the report: its keys, joined by `.`",
        "text, `pairs`, `by.generator`, `differences`",
    ),
    of(
        "of",
        "what the number is about, joined by ` – `",
        "text, `anno1 – anno2`; empty where it is about everything",
    ),
    of("statistic", "the number's key", "text, `cumulative_score`, `difference`"),
    of("value", "the number", "number; missing where it is not defined"),
    ColumnDescription(("low", "high"), "its 95% interval", "numbers; missing where there is none"),
    ColumnDescription(
        ("n_units", "n_coders"),
        "images (prompts where the prompt is the unit) and annotators it rests on",
        "counts; missing where not counted",
        "images or prompts; annotators",
        least=0,
    ),
    of(
        "computed_by",
        "what computed an alpha: see the methods",
        "`krippendorff`, `closed form`; empty for other numbers",
    ),
    of("method", "how the interval was made", "text"),
    of("refused", "why a number or an interval is missing", "text"),
    of("caution", "what to consider before using the number", "text, empty where there is nothing"),
    of("computed_at", "when the report was finished", "`2026-03-01T09:30:00Z`, UTC", moment=True),
)
REPORTS: Final = tuple(
    Layout(
        kind,
        kind.capitalize(),
        f"Every number of the newest {kind} report, one per row, with its interval.",
        f"every number of the {kind} report",
        REPORT_COLUMNS,
        REPORT,
        partial(report_lines, kind),
        of_report=True,
    )
    for kind in ("agreement", "comparison")
)
