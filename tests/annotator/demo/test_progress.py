"""The demo's work in progress: what its people do is what the quality report says of them."""

from __future__ import annotations

from collections import Counter

import pytest

from analysis.models import Report
from analysis.reports.lifecycle import newest_done, request_report, run_report
from annotator.demo.progress import ADJUDICATED, ANCHORS, NORMED, PEOPLE, build_progress
from annotator.demo.projects import DATA
from annotator.models import (
    Adjudication,
    Annotation,
    Assignment,
    Membership,
    NormingSession,
    Project,
    Reference,
)
from tests.factories import make_image, make_member, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.slow]  # two hundred annotations and a report

TRUTH = DATA / "data" / "truth.csv"


@pytest.fixture
def built() -> Project:
    project = make_project("in-progress")
    lead = make_member(project, Membership.Role.LEAD).user
    assert lead is not None
    for path in sorted((DATA / "images").glob("*/*/*")):
        generator, prompt = path.parent.parent.name, path.parent.name.replace("_", " ")
        make_image(project, generator=generator, prompt=prompt, number=int(path.stem[-2:]))
    build_progress(project, TRUTH, lead)
    build_progress(project, TRUTH, lead)
    return project


@pytest.mark.thorough
def test_every_page_on_quality_has_something_to_show(built: Project) -> None:
    work, norming = built.batches.order_by("pk")
    held = Counter(work.assignments.values_list("purpose", flat=True))
    assert held["anchor"] == ANCHORS * len(PEOPLE)
    assert held["repeat"] >= 10 * len(PEOPLE)
    assert work.assignments.filter(status=Assignment.Status.OPEN).exists()
    session = NormingSession.objects.get(batch=norming)
    assert (session.state, session.images.count()) == ("closed", NORMED)
    causes = [one.causes for one in Adjudication.objects.filter(image__project=built)]
    assert len(causes) == ADJUDICATED
    named = {cause for each in causes for value in (each or {}).values() for cause in value["causes"]}
    assert {"guideline_gap", "missed", "severity"} <= named
    assert Reference.objects.filter(image__project=built).count() == ANCHORS + NORMED
    assert not Annotation.objects.filter(submitted_at=None).exists()


def test_the_report_finds_who_drifts_and_who_rushes(built: Project) -> None:
    asked = request_report(project=built, kind=Report.Kind.QUALITY, send=False)
    assert run_report(asked.pk)
    report = newest_done(built, Report.Kind.QUALITY)
    assert report is not None
    assert report.result is not None
    found = {line["annotator"]: (line["verdict"], line["reasons"]) for line in report.result["lines"]}
    assert found["ann1"] == ("fine", [])
    assert found["ann2"][0] == "look"
    assert "drift" in found["ann2"][1]
    assert (found["ann3"][0], found["ann3"][1][0]) == ("stop", "fast")
