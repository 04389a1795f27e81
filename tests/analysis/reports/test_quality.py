"""The quality report: what it reads, what it says, when it is computed anew, and its page for leads alone."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from analysis.data.quality import load_people
from analysis.home.dashboard import dashboard_of
from analysis.models import Report
from analysis.reports import lifecycle
from analysis.reports.lifecycle import queue_report, run_report
from analysis.reports.quality import quality_input
from analysis.reports.status import status_of
from annotator.models import Annotation, Assignment, Batch, Event, Project, Reference
from tests.analysis.api.callers import calling
from tests.analysis.factories import EARLIER
from tests.analysis.watched import ANCHORS, judged, make_watched, referred
from tests.analysis.wider_study import error_of, report_of, result_of
from tests.factories import REVIEWER, make_batch, make_image, make_member, make_payload, make_project
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_watched()


def test_a_line_for_each_annotator_the_worst_first(project: Project) -> None:
    result = result_of(project, "quality")
    assert [(line["annotator"], line["verdict"], line["reasons"]) for line in result["lines"]] == [
        ("rushing", "stop", ["fast", "equal"]),
        ("drifting", "look", ["away"]),
        ("steady", "fine", []),
    ]
    beside = result["lines"][1]["references"]
    assert beside["anchors"] == ANCHORS
    # Of the last ten, four as by the steady annotator, 0.05 on average, and six at 2.0 instead of 0.5.
    assert beside["lately"]["value"] == pytest.approx((4 * 0.05 + 6 * 1.5) / 10)


def records(project: Project, kind: str) -> list[Any]:
    return [record for person in load_people(project, "anatomy") for record in getattr(person, kind)]


def test_repeats_are_paired_with_the_work_before(project: Project) -> None:
    pairs = records(project, "repeats")
    assert len(pairs) == 12
    assert {round(pair.days, 6) for pair in pairs} == {2.0}
    # The queue holds 30 images of work before the anchors and the repeats.
    assert {pair.between for pair in pairs} == {30}
    table = next(table for table in result_of(project, "quality")["tables"] if table["name"] == "repeats")
    assert [row[:3] for row in table["rows"]] == [["drifting", 6, 0], ["rushing", 0, 0], ["steady", 6, 0]]


def test_a_repeat_without_work_before_it_is_left_out(project: Project) -> None:
    person = project.memberships.get(code="steady")
    image, batch = make_image(project), project.batches.get()
    judged(person, image, batch, make_payload([]), EARLIER, purpose="repeat", pass_no=1)
    judged(person, image, batch, make_payload([]), EARLIER + timedelta(days=1))
    assert len(records(project, "repeats")) == 12


def test_a_clock_set_back_between_both_loses_no_pair(project: Project) -> None:
    repeat = Annotation.objects.filter(assignment__purpose="repeat").order_by("pk")[0]
    Annotation.objects.filter(pk=repeat.pk).update(submitted_at=EARLIER - timedelta(days=400))
    pairs = records(project, "repeats")
    assert len(pairs) == 12
    days = Counter((round(pair.days, 6), pair.between) for pair in pairs)
    assert days == {(0.0, 30): 1, (2.0, 30): 11}


def test_everybody_is_compared_with_the_current_reference(project: Project) -> None:
    before = quality_input(project, "anatomy").digest
    first = Reference.objects.order_by("pk")[0]
    Reference.objects.filter(pk=first.pk).update(status="retired")
    assert len(records(project, "anchors")) == 2 * (ANCHORS - 1)
    referred(first.image, "anatomy", make_payload([]), version=2)
    assert {pair.reference for pair in records(project, "anchors") if pair.image == first.image_id} == {0.0}
    assert quality_input(project, "anatomy").digest != before


@pytest.mark.parametrize("status", ["draft", "reopened"])
def test_what_is_not_submitted_is_not_looked_at(project: Project, status: str) -> None:
    Annotation.objects.filter(assignment__purpose="anchor").update(status=status)
    assert not records(project, "anchors")


def test_nothing_to_look_at_is_refused_with_the_reason() -> None:
    assert error_of(make_project(), "quality") == (
        "No annotator has submitted work here under “Anatomical errors in 25 cells” yet; "
        "imported annotations are not watched."
    )


def test_purposes_other_than_anchor_and_repeat_are_not_read(project: Project) -> None:
    before = quality_input(project, "anatomy").digest
    Assignment.objects.filter(purpose="anchor").update(purpose="training")
    assert not any(person.anchors for person in quality_input(project, "anatomy").people)
    assert quality_input(project, "anatomy").digest != before


def test_imported_annotations_are_not_watched(project: Project) -> None:
    elsewhere = make_batch(project, prompt_seen=Batch.Seen.UNKNOWN)
    Assignment.objects.filter(annotator__code="rushing").update(batch=elsewhere)
    assert [line["annotator"] for line in result_of(project, "quality")["lines"]] == ["drifting", "steady"]
    lines = {line["work"].member.code: line["word"] for line in dashboard_of(project)["annotators"]}
    assert lines["rushing"] == "No verdict"


def test_nothing_new_is_said_where_a_check_found_nothing(project: Project) -> None:
    result_of(project, "quality")
    imported = Annotation.objects.filter(assignment__annotator__code="rushing").first()
    assert imported is not None
    Event.objects.create(project=project, verb="imported", assignment=imported.assignment)
    assert not status_of(project, "quality").changes
    Event.objects.create(project=project, verb="submitted", assignment=imported.assignment)
    Annotation.objects.filter(pk=imported.pk).update(submitted_at=timezone.now())
    assert status_of(project, "quality").changes.new == 1
    Report.objects.filter(kind="quality").update(checked_at=timezone.now())
    assert not status_of(project, "quality").changes


def test_what_came_in_while_a_report_waited_is_not_new(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run takes several reports at once: the input of the last is read long after it started."""
    person, batch = project.memberships.get(code="steady"), project.batches.get()
    image = make_image(project)

    def submitting(*_: Any, **__: Any) -> Any:
        answer = judged(person, image, batch, make_payload([]), timezone.now())
        Event.objects.create(project=project, verb="submitted", assignment=answer.assignment)
        return {"tables": []}

    monkeypatch.setattr(lifecycle, "computation", lambda *_: submitting)
    first, _ = (queue_report(project_id=project.pk, kind=kind) for kind in ("agreement", "quality"))
    run_report(first.pk)
    assert status_of(project, "agreement").changes.new == 1
    assert not status_of(project, "quality").changes
    late = judged(person, make_image(project), batch, make_payload([]), timezone.now())
    Event.objects.create(project=project, verb="submitted", assignment=late.assignment)
    assert status_of(project, "quality").changes.new == 1


ROOT = "/projects/watched/reports/quality/"


@pytest.mark.few(1)
@pytest.mark.parametrize("who", ["reviewer", "annotator"])
def test_nobody_but_leads_reads_any_of_it(project: Project, sent: list[int], who: str) -> None:
    report = report_of(project, "quality")
    member = make_member(project, REVIEWER) if who == "reviewer" else project.memberships.get(code="drifting")
    client, caller = signed_in(member), calling(member)
    for path in ("", "status/", f"{report.pk}/figures/anchors-intervals.json"):
        assert client.get(f"{ROOT}{path}").status_code == 404, path
    assert client.get("/projects/watched/reports/quality.json").status_code == 404
    assert client.get("/projects/watched/reports/data_set/").status_code == 404
    assert caller.get("/projects/watched/reports/quality").status_code == 404
    for act in ("refresh", "cancel"):
        assert client.post(f"{ROOT}{act}/").status_code == 404
