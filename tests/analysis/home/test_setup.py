"""The first steps of a project, and what waits in it."""

from __future__ import annotations

from datetime import timedelta

from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from analysis.bundles.requests import BUNDLED
from analysis.exports.requests import EXPORTED
from analysis.home.dashboard import _line
from analysis.home.needs import needs_of
from analysis.home.project_work import AnnotatorWork, work_of
from analysis.home.quality_lines import QualityLine
from analysis.home.reviewing import waiting_for_review
from analysis.home.setup import setup_of
from analysis.models import Report
from annotator.models import Adjudication, Assignment, Batch, Event, Image, Invitation, Project, Question
from annotator.models.counting import WorkCount
from annotator.projects.checklist import next_step
from tests.analysis.factories import EARLIER, make_unread
from tests.analysis.home.conftest import Led
from tests.analysis.home.making import labelled
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project


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
    batch = make_batch(project, status=Batch.Status.PREPARING)
    assert ticks(project)[1] == "batch"
    Batch.objects.update(status=Batch.Status.OPEN)
    task = make_assignment(ann, image=image, batch=batch)
    # Neither the guideline nor training was done; the project went on without them.
    begun = ["images", "people", "batch"]
    Project.objects.update(guideline_versions={})
    project.refresh_from_db()
    assert ticks(project) == (begun, "labelling")
    Assignment.objects.filter(pk=task.pk).update(status=Assignment.Status.DONE)
    assert ticks(project) == ([*begun, "labelling"], "adjudication")
    excerpt = {"disagreements": [{"image": image.pk, "scores": [0, 1]}]}
    apart = Report.objects.create(
        project=project, kind="agreement", status="done", result={}, excerpt=excerpt
    )
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


def test_an_open_invitation_is_enough_and_an_expired_one_is_not(db: None) -> None:
    project = make_project()
    make_image(project)
    invitation = Invitation.objects.create(
        project=project, role="annotator", secret_sha256="x", expires_at=timezone.now() + timedelta(days=1)
    )
    assert ticks(project) == (["images", "people"], "guideline")
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now())
    assert ticks(project) == (["images"], "people")


def test_a_deactivated_annotator_does_not_count(db: None) -> None:
    project = make_project()
    make_image(project)
    make_member(project, is_active=False)
    make_member(project, "reviewer")
    assert ticks(project) == (["images"], "people")


def test_a_release_passes_the_guideline_and_steps_keep_their_numbers(db: None) -> None:
    project = make_project()
    make_assignment(make_member(project), image=make_image(project), batch=make_batch(project))
    work = work_of([project])[project.pk]
    steps = {step.kind.slug: step for step in setup_of(project, work)}
    assert [slug for slug, step in steps.items() if step.passed] == ["guideline", "training"]
    assert steps["images"].detail == "1 image · 1 generator · 1 prompt"
    assert steps["batch"].detail == "1 batch"
    Project.objects.update(guideline_versions={"anatomy": "1.0"})
    project.refresh_from_db()
    guideline = next(step for step in setup_of(project, work) if step.kind.slug == "guideline")
    assert (guideline.done, guideline.passed) == (True, False)


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
    assert (work.count.total, work.count.there, work.count.percent, work.waiting) == (6, 10, 50, 1)
    assert [each.count for each in work.annotators] == [work.count]
    assert work.annotators[0].last_seen is not None


def test_imports_are_nobodys_last_activity(led: Led) -> None:
    labelled(led.ada, make_batch(led.project, prompt_seen=Batch.Seen.UNKNOWN), 2)
    make_assignment(led.ada, batch=led.batch)
    [ada] = work_of([led.project])[led.project.pk].annotators
    assert ada.last_seen is None


def test_only_a_quality_report_gives_a_verdict(led: Led) -> None:
    def word(count: WorkCount, *quality: QualityLine) -> str:
        return _line(AnnotatorWork(led.ada, count, quality=quality), EARLIER).word

    fine = QualityLine("anatomy", "fine", (), (), ())
    assert word(WorkCount(submitted=30), fine) == "Fine"
    assert word(WorkCount(submitted=30)) == "Not checked yet"
    assert word(WorkCount(imported=30)) == "Not watched"
    assert word(WorkCount(open=30)) == "Too few"


def disputed(led: Led, images: list[Image]) -> None:
    """A finished agreement report that lists these images."""
    rows = [{"image": image.pk, "scores": ["0", "1"]} for image in images]
    led.project.reports.create(
        kind=Report.Kind.AGREEMENT,
        status=Report.Status.DONE,
        finished_at=timezone.now(),
        result={},
        excerpt={"disagreements": rows},
    )


def asked(led: Led) -> Question:
    """An open question on a labelled image."""
    assignment = labelled(led.ada, led.batch)[0].assignment
    return Question.objects.create(project=led.project, assignment=assignment, annotator=led.ada, text="Two?")


def test_what_waits(led: Led) -> None:
    assert waiting_for_review(led.project) == 0
    question = asked(led)
    make_unread(led.ada, make_image(led.project), led.batch)
    images = [make_image(led.project) for _ in range(3)]
    disputed(led, images)
    with CaptureQueriesContext(connection) as spent:
        assert waiting_for_review(led.project) == 5
    assert len(spent) == 3, "the third one reads the report, once"
    with CaptureQueriesContext(connection) as spent:
        assert waiting_for_review(led.project) == 5
    assert len(spent) == 2
    Adjudication.objects.create(
        image=images[0],
        protocol="anatomy",
        status=Adjudication.Status.ADJUDICATED,
        payload={},
        ratings=[],
        adjudicated_from=[],
        decided_at=timezone.now(),
        decided_by=led.ada,
    )
    assert waiting_for_review(led.project) == 4
    question.state = Question.State.ANSWERED
    question.save()
    assert waiting_for_review(led.project) == 3
    disputed(led, images[2:])
    assert waiting_for_review(led.project) == 2, "the newest report counts"
