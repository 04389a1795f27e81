"""Methods paragraphs and the checklist after GRRAS: what was done, and what only the authors know."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.data.versions import program_version
from analysis.models import KEPT_UP_TO_DATE
from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.reports.lifecycle import request_report, run_report
from analysis.sections import page_of_report
from analysis.stats.comparison.generators import LOG
from analysis.stats.comparison.generic import comparison as of_values
from analysis.tables.comparison.sentences import comparison_methods, scope
from analysis.tables.comparison.sentences import comparison_methods as methods
from analysis.tables.project_methods import project_methods
from annotator.models import Project
from scoring.grid.taxonomy import BODY_PARTS
from tests.analysis.mixed import make_mixed
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import presence, rows_of, stars

TERMS = ("prompt", "generator_prompt", "image", "annotator", "annotator_generator", "annotator_prompt")


def test_a_comparison_says_what_was_done_and_nothing_else() -> None:
    text = methods(comparison(framed(rated(1, "ada", {"missing.face": "1/2c"}), rated(2, "ada", {}))))
    assert text.startswith("One annotator made 2 annotations of 2 images, 1 of each. ")
    assert "(missing, extra, configuration, orientation and proportion) on five body parts (torso, " in text
    assert "(0.20 for mild, 0.50 for moderate and 1.00 for severe errors)" in text
    for absent in ("mixed model", "could not be read", "adjudicated"):
        assert absent not in text
    assert "No model of the generators was fitted: fewer than 2 generators." in text
    assert text.endswith(").")
    assert "Computed with Anatomark (Python 3." in text


@pytest.mark.parametrize(
    ("prompts", "annotators", "left_out", "holds"),
    [
        (2, 3, (), "for prompts and annotators like these"),
        (2, 2, (), "for prompts like these, as judged by these annotators"),
        (2, 3, ("annotator_generator",), "for prompts like these, as judged by these annotators"),
        (2, 1, ("annotator", "annotator_generator"), "for prompts like these, as judged by this annotator"),
        (1, 3, ("prompt", "generator_prompt"), "for this prompt and annotators like these"),
        (1, 1, ("prompt", "generator_prompt"), "for this prompt, as judged by this annotator"),
    ],
)
def test_intervals_hold_for_what_is_a_sample_in_the_model(
    prompts: int, annotators: int, left_out: tuple[str, ...], holds: str
) -> None:
    kept = [name for name in TERMS if name not in left_out]
    assert scope({"prompts": prompts, "annotators": annotators, "kept": kept}) == holds


def reported(project: Project, protocol: str = "anatomy") -> None:
    for kind in KEPT_UP_TO_DATE:
        run_report(request_report(project=project, kind=kind, protocol=protocol).pk)


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", ["anatomy", "presence"])
def test_the_export_page_has_the_paragraphs_of_the_reports(
    protocol: str, django_assert_num_queries: Any
) -> None:
    project = make_mixed()
    reported(project, protocol)
    with django_assert_num_queries(3):
        found = project_methods(project, protocol)
    pages = {
        report.kind: page_of_report(report, project) for report in project.reports.filter(protocol=protocol)
    }
    assert {one.kind: (one.text, list(one.references)) for one in found} == {
        kind: (page.methods, list(page.references)) for kind, page in pages.items() if page.methods
    }
    assert [one.kind for one in found] == sorted(pages)
    assert f"Anatomark {program_version()} (" in found[0].text or protocol != "anatomy"


def methods_of(result: dict[str, Any], title: str, headline: str) -> str:
    return comparison_methods({**result, "protocol": {"title": title, "headline": headline}})


@pytest.mark.parametrize("starts_at_0", [True, False])
def test_methods_name_the_plain_tests_that_the_page_has(starts_at_0: bool) -> None:
    """Realism and stars do not start at 0; their methods named a row that no page had."""
    answers = [(image, who, 1 + (2 * image + (who == "b")) % 5) for image in range(8) for who in "ab"]
    marked = [
        (image, who, " ".join(f"missing.{part}" for part in BODY_PARTS[:n])) for image, who, n in answers
    ]
    result = of_values(presence(marked) if starts_at_0 else stars(answers))
    text = methods_of(result, "Protocol", "Headline")
    (plain,) = (table for table in result["tables"] if table["name"] == "plain")
    assert [
        LOG in {row["method"] for row in rows_of(result, "plain")},
        LOG in text,
        LOG in plain["words"],
    ] == [starts_at_0] * 3
