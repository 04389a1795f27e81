"""Tables of a stored result are made of the result alone."""

from __future__ import annotations

import pytest

from analysis.reports.lifecycle import request_report, run_report
from analysis.tables.report import report_tables
from analysis.tables.table import as_text
from annotator.models import Project

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("changed", [{"a": "0", "b": "0", "c": "1"}, {"a": "nonsense"}])
def test_later_weights_leave_a_report_as_it_was(
    project: Project, sent: list[int], changed: dict[str, str]
) -> None:
    report = request_report(project=project, kind="comparison")
    run_report(report.pk)
    report.refresh_from_db()
    before = [as_text(table) for table in report_tables(report)]
    project.weights = changed
    assert [as_text(table) for table in report_tables(report)] == before
