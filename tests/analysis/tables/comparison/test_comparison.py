"""The comparison report as tables; its bars add up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analysis.stats.comparison.comparison import comparison
from analysis.stats.frames import RatingsFrame
from analysis.tables.comparison.comparison import comparison_tables
from analysis.tables.comparison.generator_tests import row_tests_table
from analysis.tables.comparison.lines import counted_by_annotation
from analysis.tables.comparison.summaries import annotation_table
from analysis.tables.lines import line_of
from analysis.tables.table import Part, Table, TableCell

WEIGHTS = {"a": 0.2, "b": 0.5, "c": 1.0}


def summary(label: str, name: str, annotations: int, mean: float, **severity: float) -> dict[str, Any]:
    return {
        label: name,
        "annotations": annotations,
        "images": annotations,
        "mean": mean,
        "variance": 0.25 if annotations > 1 else None,
        "severity": {"a": 0.0, "b": 0.0, "c": 0.0, **severity},
    }


def of_generators(*summaries: dict[str, Any]) -> Table:
    return annotation_table({"generators": list(summaries)}, "generators", WEIGHTS)


def test_bars_divide_the_mean_by_severity() -> None:
    table = of_generators(
        summary("generator", "one", 2, 0.5, a=1.0, b=0.8, c=0.4),
        summary("generator", "two", 4, 1.0, c=4.0),
    )
    assert [row[1] for row in table.rows] == [
        TableCell(
            "0.50", numeric=True, bar=(Part("a", 0.0, 10.0), Part("b", 10.0, 20.0), Part("c", 30.0, 20.0))
        ),
        TableCell(
            "1.00", numeric=True, bar=(Part("a", 0.0, 0.0), Part("b", 0.0, 0.0), Part("c", 0.0, 100.0))
        ),
    ]


def test_a_mean_that_its_severities_do_not_make_is_not_divided() -> None:
    table = of_generators(summary("generator", "one", 2, 0.4, a=1.0))
    assert table.rows[0][1].bar == (Part("plain", 0.0, 100.0),)


def test_no_errors_draw_no_bars() -> None:
    assert of_generators(summary("generator", "one", 2, 0.0)).rows[0][1].bar == ()


def test_undefined_values_say_why() -> None:
    means = [summary("generator", "one", 1, 1.0, c=1.0), summary("generator", "two", 1, 3.0, c=3.0)]
    test = {"a": "one", "b": "two", "t": None, "df": None, "p": None, "undefined": "too few"}
    tests = row_tests_table({"generators": means, "generator_tests": [test]})
    assert of_generators(*means).rows[0][2] == TableCell("–", numeric=True, note="fewer than 2 annotations")
    assert [cell.text for cell in tests.rows[0]] == ["one – two", "−2.00", "–", "–", "–"]
    assert [cell.note for cell in tests.rows[0]] == ["", "", "no test: too few", "", ""]


def test_the_taxonomy_has_titles() -> None:
    found = {"error_types": [summary("error_type", "missing", 2, 1.0)]}
    table = annotation_table(found, "error_types", WEIGHTS)
    assert (table.title, table.rows[0][0].text) == ("Error types, annotation by annotation", "Missing")


@pytest.mark.study
def test_page_and_readme_say_which_numbers_are_the_published_ones(study_frame: RatingsFrame) -> None:
    tables = {table.slug: table for table in comparison_tables(comparison(study_frame))}

    def numbers(means: str, tests: str, t: int) -> list[str]:
        shown = [tables[means].rows[0][1], *(row[t] for row in tables[tests].rows[:2])]
        return [cell.text for cell in shown]

    published = numbers("generators", "generator_tests", 2)
    by_image = numbers("generators_images", "generator_comparisons", 3)
    assert (published, by_image) == (["0.82", "−6.72", "−4.67"], ["0.83", "−6.34", "−4.14"])
    assert list(tables).index("generators_images") < list(tables).index("generators")
    # Whoever meets the numbers over images first is told where the published ones are.
    for slug in ("generators_images", "generator_comparisons"):
        assert "“Annotation by annotation”" in tables[slug].words
    readme = (Path(__file__).resolve().parents[4] / "README.md").read_text(encoding="utf-8")
    _, promised = readme.split("**As published** counts annotations")
    first, second = promised.split("counts each image once", 1)
    assert all(number in first for number in published)
    assert all(number in second for number in by_image)


@pytest.mark.study
def test_as_published_every_line_has_the_printed_numbers(study_frame: RatingsFrame) -> None:
    """The study printed means of 0.82, 2.07 and 1.80, whose differences are 1.25 and 0.98."""
    by_image = comparison(study_frame)
    for result, gaps in ((counted_by_annotation(by_image), ("1.25", "0.98")), (by_image, ("1.29", "0.97"))):
        line = line_of("comparison", "differences", result)
        assert line is not None
        assert line.text.startswith("dall-e3 is {} below sdxl and {} below stablecascade;".format(*gaps))
