"""The steps of a new project: each tick follows the rows, and goes when they go."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from analysis.bundles.requests import BUNDLED
from analysis.exports.requests import EXPORTED
from analysis.home import setup
from analysis.home.needs import needs_of
from analysis.home.project_work import work_of
from analysis.home.setup import setup_of
from analysis.models import Report
from annotator.models import Assignment, Batch, Event, Invitation, Project
from annotator.projects.checklist import next_step
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


def test_training_is_optional_and_is_not_the_batch(db: None) -> None:
    project = make_project()
    image = make_image(project)
    ann = make_member(project)
    Project.objects.update(guideline_versions={"anatomy": "1.0"})
    project.refresh_from_db()
    prepared = ["images", "people", "guideline"]
    assert ticks(project) == (prepared, "batch")
    make_assignment(ann, image=image, purpose=Assignment.Purpose.TRAINING)
    assert ticks(project) == ([*prepared, "training"], "batch")
    assert not work_of([project])[project.pk].released


def test_deleting_the_last_image_unticks(db: None) -> None:
    project = make_project()
    make_member(project)
    image = make_image(project)
    assert ticks(project) == (["images", "people"], "guideline")
    image.goes_at = timezone.now()
    image.save()
    assert ticks(project) == (["people"], "images")


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


def test_the_images_of_a_large_project_at_work_are_not_counted(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project()
    make_assignment(make_member(project), image=make_image(project), batch=make_batch(project))
    make_image(project, number=2)
    monkeypatch.setattr(setup, "FEW_IMAGES", 1)
    [images] = [step for step in setup_of(project, work_of([project])[project.pk]) if step.number == 1]
    assert (images.done, images.detail) == (True, "")
