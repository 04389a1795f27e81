"""What needs a lead, the first steps of a project, and what waits in it."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from analysis.bundles.source import BUNDLED
from analysis.exports.requests import EXPORTED
from analysis.home.need_row import SINGLY, Harm
from analysis.home.needs import needs_of, with_pictures
from analysis.home.project_work import work_of
from analysis.home.resolving import resolve
from analysis.home.reviewing import waiting_for_review
from analysis.home.setup import setup_of
from analysis.models import Report
from annotator.inputs.plain_text import InvalidReason
from annotator.models import (
    Annotation,
    Assignment,
    Batch,
    Event,
    FaceDecision,
    Invitation,
    Job,
    Project,
    Question,
)
from annotator.models.counting import WorkCount
from annotator.projects.checklist import next_step
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.factories import make_unread
from tests.analysis.home.conftest import Led, back_dated, drafted, judged_by_quality, kinds, labelled, needs
from tests.analysis.mixed import adjudicated
from tests.factories import (
    decide_faces,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_payload,
    make_project,
    make_user,
)


def test_a_project_at_work_needs_nobody(led: Led) -> None:
    labelled(led.ada, led.batch, 3)
    make_assignment(led.ada, batch=led.batch)
    drafted(led.ada, led.batch, days_ago=1)
    assert needs(led.project) == []


def test_silence_for_three_days_of_who_has_work_and_can_sign_in(led: Led) -> None:
    made = labelled(led.ada, led.batch, days_ago=4)
    back_dated(led.batch, 9)
    assert needs(led.project) == []  # nothing is left to do
    make_assignment(led.ada, batch=led.batch)
    [need] = needs(led.project)
    assert need.code == "silent"
    assert "4 days" in need.title
    draft = drafted(led.ada, led.batch, days_ago=0)
    assert needs(led.project) == []
    # Who never began is silent since the release.
    Annotation.objects.filter(pk__in=[draft.pk, made[0].pk]).delete()
    back_dated(led.batch, 2)
    assert needs(led.project) == []
    back_dated(led.batch, 3)
    assert kinds(led.project) == ["silent"]
    led.project.memberships.filter(pk=led.ada.pk).update(is_active=False)
    assert "silent" not in kinds(led.project)


def test_many_who_are_silent_are_one_row(led: Led) -> None:
    for _ in range(SINGLY + 2):
        make_assignment(make_member(led.project), batch=led.batch)
    back_dated(led.batch, 5)
    [need] = needs(led.project)
    assert (need.code, need.count) == ("silent", SINGLY + 2)


def test_old_drafts(led: Led) -> None:
    labelled(led.ada, led.batch)
    draft = drafted(led.ada, led.batch, days_ago=3.1)
    [need] = needs(led.project)
    assert (need.code, need.count) == ("drafts", 1)
    draft.saved_at = timezone.now()
    draft.save()
    assert needs(led.project) == []


def asked(led: Led) -> Question:
    """An open question on a labelled image."""
    assignment = labelled(led.ada, led.batch)[0].assignment
    return Question.objects.create(project=led.project, assignment=assignment, annotator=led.ada, text="Two?")


def test_open_questions_until_they_are_answered(led: Led) -> None:
    question = asked(led)
    [need] = with_pictures(needs(led.project))
    assert (need.code, need.count, need.harm) == ("questions", 1, Harm.PERSON)
    assert "Two?" in need.evidence
    assert list(need.drawn) == [question.assignment.image]
    question.state = Question.State.ANSWERED
    question.save()
    assert needs(led.project) == []


def test_import_problems_until_they_are_corrected(led: Led) -> None:
    unread = make_unread(led.ada, make_image(led.project), led.batch)
    [need] = needs(led.project)
    assert (need.code, need.harm) == ("problems", Harm.DATA)
    assert "1/5" in need.evidence
    Annotation.objects.filter(pk=unread.pk).update(version=2)
    assert needs(led.project) == []


def agreed(project: Project, **excerpt: object) -> Report:
    """A finished agreement report with what is kept of it beside the result."""
    done = {"status": "done", "finished_at": timezone.now()}
    return Report.objects.create(project=project, kind="agreement", result={}, excerpt=excerpt, **done)


def test_disagreements_until_they_are_adjudicated(led: Led) -> None:
    one, other, same = (make_image(led.project) for _ in range(3))
    rows = [
        {"image": one.pk, "scores": [0.2, 2.51], "cells": [{"cell": "missing.limbs"}]},
        {"image": other.pk, "scores": [0.2, 0.3], "cells": [{"cell": "missing.limbs"}]},
        {"image": same.pk, "scores": [0.3, 0.3], "cells": []},
    ]
    for listed in ([], rows[:2]):
        agreed(led.project, disagreements=listed)
    [need] = needs(led.project)
    assert (need.code, need.count, list(need.pictures)) == ("disagreements", 2, [one.pk, other.pk])
    assert "0.20 and 2.51" in need.evidence
    for image in (one, other):
        adjudicated(ANATOMY, image, led.lead, make_payload())
    assert needs(led.project) == []


def test_failed_jobs_until_one_succeeds(led: Led) -> None:
    failed = Job.objects.create(project=led.project, kind="export", status="failed", error="Disk full.\nmore")
    [need] = needs(led.project)
    assert (need.code, need.harm, need.evidence) == ("job", Harm.FAILURE, "Disk full.")
    Job.objects.create(project=led.project, kind="make_bundle", status="done", result={})
    assert kinds(led.project) == ["job"]
    done = Job.objects.create(project=led.project, kind="export", status="done", result={})
    assert needs(led.project) == []
    done.delete()
    Job.objects.filter(pk=failed.pk).update(created_at=timezone.now() - timedelta(days=15))
    assert needs(led.project) == []


def test_a_failed_report_until_a_newer_one(led: Led) -> None:
    for kind in ("comparison", "across"):
        Report.objects.create(project=led.project, kind=kind, status="failed", error="No memory.")
    assert kinds(led.project) == ["report"]
    Report.objects.create(project=led.project, kind="comparison", status="done", result={})
    assert needs(led.project) == []


@pytest.mark.parametrize(
    ("low", "images", "told"), [(-0.1, 20, True), (0.1, 20, False), (-0.1, 19, False), (None, 40, False)]
)
def test_agreement_at_the_level_of_chance(led: Led, low: float | None, images: int, told: bool) -> None:
    older = {"value": 0.0, "low": -0.2, "high": 0.2, "n_units": 90}
    newest = {"value": 0.15, "low": low, "high": 0.4, "n_units": images}
    for alpha in (older, newest):
        agreed(led.project, alpha=alpha, disagreements=[])
    assert kinds(led.project) == (["chance"] if told else [])


def test_the_worst_comes_first(led: Led) -> None:
    make_unread(led.ada, make_image(led.project), led.batch)
    Job.objects.create(project=led.project, kind="export", status="failed")
    drafted(led.ada, led.batch, days_ago=4)
    judged_by_quality(led.project, led.ada, "stop", ["fast"])
    assert kinds(led.project) == ["quality", "job", "drafts", "problems"]


def test_resolved_until_something_new_happens(led: Led) -> None:
    asked(led)
    [need] = needs(led.project)
    with pytest.raises(InvalidReason):
        resolve(need, led.project, "  ", make_user())
    resolve(need, led.project, "Asked on paper.", make_user())
    assert needs(led.project) == []
    asked(led)
    [again] = needs(led.project)
    assert (again.code, again.count, again.key == need.key) == ("questions", 2, False)


def ticks(project: Project) -> tuple[list[str], str | None]:
    """The steps that are done, and the current one."""
    work = work_of([project])
    steps = setup_of(project, work[project.pk], needs_of([project], work)[project.pk])
    current = next_step(steps)
    return [step.kind.slug for step in steps if step.done], current.kind.slug if current else None


def test_the_way_from_nothing_to_the_export(db: None) -> None:
    project = make_project()
    make_member(project, "lead")
    assert ticks(project) == ([], "images")
    image = make_image(project)
    assert ticks(project) == (["images"], "people")
    ann = make_member(project)
    assert ticks(project) == (["images", "people"], "guideline")
    Project.objects.update(guideline_versions={"anatomy": "1.0"})
    project.refresh_from_db()
    assert ticks(project) == (["images", "people", "guideline"], "batch")
    batch = make_batch(project)
    task = make_assignment(ann, image=image, batch=batch)
    # Neither the guideline nor training was done; the project went on without them.
    begun = ["images", "people", "guideline", "training", "batch"]
    Project.objects.update(guideline_versions={})
    project.refresh_from_db()
    assert ticks(project) == (begun, "labelling")
    Assignment.objects.filter(pk=task.pk).update(status=Assignment.Status.DONE)
    assert ticks(project) == ([*begun, "labelling"], "adjudication")
    apart = agreed(project, disagreements=[{"image": image.pk, "scores": [0, 1]}])
    assert ticks(project) == ([*begun, "labelling"], "adjudication")
    due = Report.objects.create(project=project, kind="agreement", protocol="presence", status="queued")
    apart.excerpt = {"disagreements": []}
    apart.save()
    # A report that is due may find more.
    assert ticks(project) == ([*begun, "labelling"], "adjudication")
    due.delete()
    assert ticks(project) == ([*begun, "labelling", "adjudication"], "export")
    with transaction.atomic():
        Event.objects.create(project=project, verb=BUNDLED)
        assert ticks(project) == ([*begun, "labelling", "adjudication", "export"], None)
        transaction.set_rollback(True)
    Event.objects.create(project=project, verb=EXPORTED)
    assert ticks(project) == ([*begun, "labelling", "adjudication", "export"], None)


def test_training_is_done_when_all_have_finished(led: Led) -> None:
    def step() -> tuple[str, bool]:
        work = work_of([led.project])
        steps = setup_of(led.project, work[led.project.pk])
        return next((step.detail, step.done) for step in steps if step.kind.slug == "training")

    assert step() == ("", False)
    for member in (led.ada, make_member(led.project, is_active=False)):
        make_assignment(member, batch=led.batch, purpose="training")
    assert step() == ("0 of 1 finished", False)
    Assignment.objects.update(status="done")
    make_assignment(led.ada, batch=led.batch, purpose="training", pass_no=1)
    assert step() == ("1 of 1 finished", True)


def test_faces_are_a_step_where_they_are_blurred(db: None) -> None:
    project = make_project(protocols=["realism"])
    for _ in range(3):
        # A score needs three people.
        assert "people" not in ticks(project)[0]
        make_member(project)
    images = [make_image(project) for _ in range(2)]
    decide_faces(images[:1], [[1, 1, 2, 2]])
    assert ticks(project) == (["images", "people"], "faces")
    decide_faces(images[1:])
    assert ticks(project) == (["images", "people", "faces"], "guideline")
    FaceDecision.objects.update(looked_at=None)
    assert ticks(project)[1] == "faces"


def test_an_open_invitation_is_enough_and_an_expired_one_is_not(db: None) -> None:
    project = make_project()
    make_image(project)
    invitation = Invitation.objects.create(
        project=project, code="new", request_key=uuid4(), expires_at=timezone.now() + timedelta(days=1)
    )
    assert ticks(project) == (["images", "people"], "guideline")
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now())
    assert ticks(project) == (["images"], "people")


def test_what_is_submitted_skipped_left_and_imported(led: Led) -> None:
    labelled(led.ada, led.batch, 3)
    make_assignment(led.ada, batch=led.batch, status="skipped")
    make_assignment(led.ada, batch=led.batch)
    closed = make_batch(led.project, status="closed")
    make_assignment(led.ada, batch=closed)
    elsewhere = make_batch(led.project, prompt_seen=Batch.Seen.UNKNOWN)
    labelled(led.ada, elsewhere, 7)
    work = work_of([led.project])[led.project.pk]
    assert work.count == WorkCount(submitted=3, skipped=1, open=2, left=1, imported=7)
    assert work.count.words == "3 of 6 submitted, 1 skipped, 7 imported"
    assert (work.count.total, work.count.there, work.count.percent, work.count.left) == (6, 10, 50, 1)
    assert [each.count for each in work.annotators] == [work.count]
    assert work.annotators[0].last_seen is not None


def test_imports_are_nobodys_last_activity(led: Led) -> None:
    labelled(led.ada, make_batch(led.project, prompt_seen=Batch.Seen.UNKNOWN), 2)
    make_assignment(led.ada, batch=led.batch)
    [ada] = work_of([led.project])[led.project.pk].annotators
    assert ada.last_seen is None


def test_what_waits(led: Led) -> None:
    assert waiting_for_review(led.project) == 0
    question = asked(led)
    make_unread(led.ada, make_image(led.project), led.batch)
    images = [make_image(led.project) for _ in range(3)]
    rows = [{"image": image.pk, "scores": ["0", "1"]} for image in images]
    agreed(led.project, disagreements=rows)
    with CaptureQueriesContext(connection) as spent:
        assert waiting_for_review(led.project) == 5
    assert len(spent) == 3, "the third one reads the report, once"
    with CaptureQueriesContext(connection) as spent:
        assert waiting_for_review(led.project) == 5
    assert len(spent) == 2
    adjudicated(ANATOMY, images[0], led.lead, make_payload())
    assert waiting_for_review(led.project) == 4
    question.state = Question.State.ANSWERED
    question.save()
    assert waiting_for_review(led.project) == 3
    agreed(led.project, disagreements=rows[2:])
    assert waiting_for_review(led.project) == 2, "the newest report counts"
