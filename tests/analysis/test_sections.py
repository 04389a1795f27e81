"""A report as it is read: nothing of a result is lost, and what templates make of its numbers."""

from __future__ import annotations

import pytest

from analysis.figures.generic import figures
from analysis.sections import LAYOUTS, TWINS, ReportPage, page_of_report
from analysis.tables.generic import result_tables
from annotator.models import Project
from tests.analysis.wider_study import report_of


def tables_of(reading: ReportPage) -> list[str]:
    return [shown.table.slug for section in reading.sections for shown in section.tables]


def figures_of(reading: ReportPage) -> list[str]:
    return [shown.figure.slug for section in reading.sections for shown in section.figures]


@pytest.mark.parametrize("kind", ["agreement", "comparison"])
def test_everything_stands_in_one_place(wide: Project, kind: str) -> None:
    report = report_of(wide, kind)
    reading = page_of_report(report, wide)
    tables = [table.slug for table in result_tables(report.result or {})]
    drawn = [figure.slug for figure in figures(report.result or {})]
    assert sorted(tables_of(reading)) == sorted(tables)
    assert sorted(figures_of(reading)) == sorted(drawn)
    assert reading.findings
    assert "saw neither the prompt nor the generator." in reading.methods
    addresses = [place for section in reading.sections for place in (section.slug, *dict(section.contents))]
    assert len(set(addresses)) == len(addresses), "an address in the page names one thing"


@pytest.mark.parametrize("kind", LAYOUTS)
def test_twins_and_places_are_real(wide: Project, kind: str) -> None:
    report = report_of(wide, kind)
    drawn = {figure.slug for figure in figures(report.result or {})}
    placed = {name for place in LAYOUTS[kind] for name in (*place.figures, *place.folded)}
    assert drawn <= placed
    tables = {table.slug for table in result_tables(report.result or {})}
    assert {TWINS[name] for name in drawn & set(TWINS)} <= tables
