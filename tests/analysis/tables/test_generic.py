"""Tables and sentences of results that are lists of tables."""

from __future__ import annotations

from typing import Any

from analysis.stats.generic.agreement import agreement
from analysis.stats.generic.annotators import annotators
from analysis.stats.generic.comparison import comparison
from analysis.tables.generic import result_findings, result_tables
from analysis.tables.table import as_text
from tests.analysis.stats.generic.making import stars
from tests.analysis.stats.generic.test_comparison import ANSWERS

HEAD = {"protocol": {"slug": "stars", "title": "Stars", "headline": "Stars"}}


def test_every_table_of_every_report_can_be_printed() -> None:
    frame = stars(ANSWERS)
    for compute in (agreement, comparison, annotators):
        result: dict[str, Any] = compute(frame)
        tables = result_tables(result)
        assert [table.slug for table in tables] == [table["name"] for table in result["tables"]]
        assert all(as_text(table).startswith(table.title) for table in tables)


def test_a_row_is_made_of_cells_by_the_kind_of_its_column() -> None:
    tables = {table.slug: table for table in result_tables(comparison(stars(ANSWERS)))}
    (row,) = tables["generator_comparisons"].rows
    assert [cell.text for cell in row] == [
        "a", "b", "−2.25 [−3.69, −0.81]", "−4.02", "4.93", "0.010", "0.010", "−2.47 [−4.18, −0.77]",
    ]  # fmt: skip


def test_a_difference_is_said_from_its_lower_side() -> None:
    (said,) = result_findings(HEAD | comparison(stars(ANSWERS)))
    assert said.kind == "clear"
    assert said.text == (
        "The mean stars of a is 2.25 [0.81, 3.69] lower than that of b (Holm-corrected p = 0.010)."
    )
    (other,) = result_findings(HEAD | comparison(stars(ANSWERS, generators="ba")))
    assert other.text == said.text.replace(" of a ", " of _ ").replace(" of b ", " of a ").replace(
        " of _ ", " of b "
    )


def test_what_cannot_be_said_is_refused_with_its_reason() -> None:
    (said,) = result_findings(HEAD | agreement(stars(ANSWERS)))
    assert (said.kind, said.text) == ("refused", "Stars: there is no alpha, because too few: 1 image.")
    (said,) = result_findings(HEAD | comparison(stars([(0, "A", 1), (1, "A", 2)])))
    assert said.kind == "refused"
