"""Methods paragraphs: what was done, what was resampled and held fixed, and the versions."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.data.versions import program_version
from analysis.models import KEPT_UP_TO_DATE
from analysis.protocols.anatomy.agreement import anatomy_agreement as agreement
from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.reports.lifecycle import request_report, run_report
from analysis.sections import page_of_report
from analysis.stats.frames import RatingsFrame
from analysis.tables.agreement import agreement_methods
from analysis.tables.comparison.sentences import comparison_methods as methods
from analysis.tables.comparison.sentences import scope
from analysis.tables.methods import REFERENCES, cited, spelled
from analysis.tables.project_methods import project_methods
from annotator.models import Annotation, Project
from tests.analysis.mixed import make_mixed
from tests.analysis.stats.conftest import framed, rated
from tests.factories import make_project

TERMS = ("prompt", "generator_prompt", "image", "annotator", "annotator_generator", "annotator_prompt")


def six_doubles() -> RatingsFrame:
    rows = [
        rated(k, who, {"missing.face": f"1/{k + 2}c"}, generator="xy"[k % 2], prompt="pq"[k % 3 % 2])
        for k in range(6)
        for who in ("ada", "bo")
    ]
    return framed(*rows)


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


def test_a_comparison_says_what_its_mixed_model_generalises_to() -> None:
    found = comparison(six_doubles())
    *kept, last = TERMS
    dropped = [{"name": last, "reason": "the same as image here", "twin": "image"}]
    found["model"] |= {"refused": None, "kept": kept, "dropped": dropped, "prompts": 10, "annotators": 4}
    assert (
        "random effects of prompt, generator-by-prompt interaction, image, annotator and "
        "annotator-by-generator interaction, fitted by restricted maximum likelihood (Bates et al. 2015), "
        "with Satterthwaite's degrees of freedom (Satterthwaite 1946) and p values corrected for the number "
        "of pairs by Holm's method (Holm 1979); it holds for prompts and annotators like these. Left out: "
        "annotator-by-prompt interaction (the same as image here)."
    ) in methods(found)
    assert "random sample" not in methods(found)


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


def test_what_could_not_be_read_is_said() -> None:
    found: dict[str, Any] = comparison(six_doubles())
    found["program"] = "0.1.0"
    found["answers"] = {"partly_unread": 5, "not_counted": [{"reason": "nothing_read", "count": 1}]}
    text = methods(found)
    assert (
        "Five imported annotations contained terms that could not be read; these terms were omitted" in text
    )
    assert "One imported annotation could not be read at all and did not count." in text
    assert "Computed with Anatomark 0.1.0 (Python 3." in text


def test_agreement() -> None:
    text = agreement_methods(agreement(six_doubles()))
    assert text.startswith(
        "Agreement was measured on 6 images that at least two of 2 annotators had annotated. "
    )
    assert "Overall severity is low, medium or high, cut at the median" in text
    assert "AC1 (Gwet 2008) and, of marks, positive agreement." in text
    assert "2,000 replicates, seed 20240821" in text
    assert "They hold for these annotators and prompts" in text
    assert "krippendorff 0." in text


def test_agreement_without_doubles() -> None:
    single = [rated(k, "ada", {"missing.face": f"1/{k + 2}c"}) for k in range(6)]
    text = agreement_methods(agreement(framed(*single)))
    assert text.startswith("No image was annotated by two annotators. Computed with Anatomark (")


def test_sources_are_those_the_text_names() -> None:
    found = [source[:11] for source in cited("by Welch (Welch 1947) and Krippendorff (2018); Holm")]
    assert found == ["B. L. Welch", "K. Krippend"]
    assert len({source.partition(" (")[0] for source in REFERENCES}) == len(REFERENCES)
    assert [spelled(count, "image") for count in (1, 9, 10, 0)] == [
        "One image",
        "Nine images",
        "10 images",
        "0 images",
    ]


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


def texts(project: Project) -> dict[str, str]:
    return {one.kind: one.text for one in project_methods(project, "anatomy")}


@pytest.mark.django_db
def test_a_project_without_reports_has_none(django_assert_num_queries: Any) -> None:
    project = make_project()
    with django_assert_num_queries(3):
        assert project_methods(project, "anatomy") == []


@pytest.mark.django_db
@pytest.mark.thorough
def test_annotations_with_unreadable_terms_are_counted(project: Project) -> None:
    first = Annotation.objects.filter(status="submitted").order_by("pk")[0]
    Annotation.objects.filter(pk=first.pk).update(has_unread_terms=True, source={"problems": []})
    reported(project)
    results = [report.result or {} for report in project.reports.all()]
    assert [result["answers"]["partly_unread"] for result in results] == [1, 1]
    assert {result["program"] for result in results} == {program_version()}
