"""A report as it is read: nothing of a result is lost, old ones and refused ones included."""

from __future__ import annotations

import pytest

from analysis.figures.generic import figures
from analysis.sections import LAYOUTS, TWINS, ReportPage, ShownTable, page_of_report
from analysis.stats.comparison.generic import comparison
from analysis.tables.generic import result_tables
from analysis.tables.listed import Line, line_of
from annotator.models import Project
from tests.analysis.stats.generic.making import stars
from tests.analysis.wider_study import make_wider_study, report_of
from tests.factories import make_project


@pytest.fixture
def wide(db: None, sent: list[int]) -> Project:
    project = make_project("wide")
    make_wider_study(project)
    return project


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


@pytest.mark.thorough
def test_every_section_has_its_result_in_one_line(wide: Project) -> None:
    lines: dict[str, Line] = {}
    for kind in ("agreement", "comparison"):
        reading = page_of_report(report_of(wide, kind), wide)
        assert [section.slug for section in reading.sections if not section.line.text] == []
        lines |= {f"{kind} {section.slug}": section.line for section in reading.sections}
    assert lines["agreement answers"] == ("24 of 24 submitted annotations count", "")
    assert lines["comparison generators"] == ("beta 0.32, alpha 0.57", "2 generators")
    assert lines["comparison differences"] == ("No pair differs clearly", "1 pair")
    assert lines["comparison prompts"] == ("Highest mean: pizza, 0.67", "3 prompts")


def test_sections_of_tables_have_their_result_in_a_line() -> None:
    result = comparison(stars([(0, "A", 4), (2, "A", 4), (4, "A", 3), (1, "A", 1), (3, "A", 1), (5, "A", 2)]))
    assert [line_of(name, result) for name in ("generators", "differences", "prompts")] == [
        ("b 1.33, a 3.67", "2 generators"),
        ("1 of 1 pair differs clearly", "1 pair"),
        ("Highest mean: one person, 2.50", "1 prompt"),
    ]


@pytest.mark.thorough
def test_sources_are_those_that_the_methods_cite(wide: Project) -> None:
    agreement = page_of_report(report_of(wide, "agreement"), wide)
    names = [source.split(" (")[0] for source in agreement.references]
    assert {"P. Muhr et al.", "K. Krippendorff", "K. L. Gwet", "T. C. Hesterberg"} <= set(names)
    comparison = page_of_report(report_of(wide, "comparison"), wide)
    assert comparison.references[3].startswith("D. Bates, M. Mächler, B. Bolker, S. Walker (2015)")


@pytest.mark.parametrize("kind", LAYOUTS)
def test_twins_and_places_are_real(wide: Project, kind: str) -> None:
    report = report_of(wide, kind)
    drawn = {figure.slug for figure in figures(report.result or {})}
    placed = {name for place in LAYOUTS[kind] for name in (*place.figures, *place.folded)}
    assert drawn <= placed
    tables = {table.slug for table in result_tables(report.result or {})}
    assert {TWINS[name] for name in drawn & set(TWINS)} <= tables


@pytest.mark.thorough
def test_long_tables_are_folded_and_cut(wide: Project) -> None:
    report = report_of(wide, "agreement")
    pairs = next(table for table in (report.result or {})["tables"] if table["name"] == "pairs")
    pairs["rows"] = pairs["rows"][:1] * 130
    reading = page_of_report(report, wide)
    shown: dict[str, ShownTable] = {
        each.table.slug: each for section in reading.sections for each in section.tables
    }
    assert (len(shown["pairs"].rows), shown["pairs"].left_out, shown["pairs"].folded) == (60, 70, True)
    assert (shown["agreement"].folded, shown["agreement"].left_out) == (False, 0)


@pytest.mark.parametrize("kind", ["agreement", "comparison"])
def test_no_report_pools_the_error_of_a_score(wide: Project, kind: str) -> None:
    """Errors grow with the score, so “a score is uncertain by 1.01” holds for none (fault 15)."""
    report = report_of(wide, kind)
    reading = page_of_report(report, wide)
    words = [finding.text for finding in (*reading.findings, *reading.further)]
    for section in reading.sections:
        words += [f"{shown.table.title} {shown.table.words}" for shown in section.tables]
    text = " ".join([*words, reading.methods, str(report.result)]).lower()
    assert kind == "agreement" or "welch" in text
    for gone in ("uncertain by", "error of measurement", "limits_of_agreement"):
        assert gone not in text
