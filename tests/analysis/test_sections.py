"""A report as it is read: nothing of a result is lost, and what templates make of its numbers."""

from __future__ import annotations

import pytest

from analysis.figures.generic import figures
from analysis.sections import LAYOUTS, TWINS, ReportPage, ShownTable, page_of_report
from analysis.stats.comparison.generic import comparison
from analysis.tables.generic import result_tables
from analysis.tables.listed import line_of
from analysis.templatetags.reading import NO_BREAK, unbroken
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


def test_sections_of_tables_have_their_result_in_a_line() -> None:
    result = comparison(stars([(0, "A", 4), (2, "A", 4), (4, "A", 3), (1, "A", 1), (3, "A", 1), (5, "A", 2)]))
    assert [line_of(name, result) for name in ("generators", "differences", "prompts")] == [
        ("b 1.33, a 3.67", "2 generators"),
        ("1 of 1 pair differs clearly", "1 pair"),
        ("Highest mean: one person, 2.50", "1 prompt"),
    ]


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


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("differ (p < 0.001, uncorrected)", "differ (p_<_0.001, uncorrected)"),
        ("Welch p = 0.012, after", "Welch p_=_0.012, after"),
        ("difference −1.25 [−1.69, −0.89], image-wise", "difference −1.25_[−1.69,_−0.89], image-wise"),
        ("F(2, 228) = 23.84, and", "F(2, 228)_=_23.84, and"),
        ("an interval of ± 0.10 needs 95% of", "an interval of ±_0.10 needs 95% of"),
        ("the most (62% [53, 70]) and", "the most (62%_[53,_70]) and"),
        ("Over 60 images, 4 annotators.", "Over 60 images, 4 annotators."),
        ("from mild ≤ moderate", "from mild ≤ moderate"),
    ],
)
def test_what_belongs_to_a_number_stays_with_it(text: str, held: str) -> None:
    assert unbroken(text).replace(NO_BREAK, "_") == held
    assert unbroken(text).replace(NO_BREAK, " ") == text
