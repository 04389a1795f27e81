"""Deleting a project: in two steps, with nothing lost before the second."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.http import Http404
from django.utils import timezone

from annotator.annotations.saving import Deleted
from annotator.models import (
    Annotation,
    Assignment,
    Batch,
    Event,
    Image,
    Job,
    Membership,
    Plan,
    Project,
    Upload,
    UploadedFile,
)
from annotator.people.access import ProjectDeleted, assignment_for, image_for, membership_of, project_as_lead
from annotator.records.project_deletion import DeletionRefused, delete_project, take_back_project
from annotator.records.purge import remove_deleted
from annotator.work.jobs import request_job
from tests.annotator.acting import LIMBS, person, save, submit
from tests.annotator.uploads.bringing import bring
from tests.factories import (
    LEAD,
    make_assignment,
    make_batch,
    make_member,
    make_project,
    make_stored_image,
    user_of,
)

pytestmark = pytest.mark.django_db

AFTER = timedelta(days=30, minutes=11)


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: object) -> None:
    settings.MEDIA_ROOT = tmp_path  # type: ignore[attr-defined]


@pytest.fixture
def lead() -> Membership:
    return make_member(make_project("gone", name="Gone soon"), LEAD)


@pytest.fixture
def work(lead: Membership) -> Assignment:
    """A submitted answer, a draft, and a picture that lies in the storage."""
    ada, batch = make_member(lead.project), make_batch(lead.project)
    first, second = (
        make_assignment(ada, batch=batch, image=make_stored_image(lead.project)) for _ in range(2)
    )
    submit(first)
    save(second)
    return second


def delete(project: Project, typed: str = "Gone soon", reason: str = "no consent") -> Project:
    return delete_project(project=project, typed=typed, reason=reason, actor=None)


def test_nobody_can_open_it_and_its_people_are_told(lead: Membership, work: Assignment) -> None:
    delete(lead.project)
    delete(lead.project)
    for look in (project_as_lead, membership_of):
        with pytest.raises(ProjectDeleted):
            look(user_of(lead), "gone")
    with pytest.raises(ProjectDeleted):
        membership_of(person(work), "gone")
    with pytest.raises(Http404):
        image_for(user_of(lead), work.image.public_id)
    stranger = make_member(make_project())
    with pytest.raises(Http404) as told:
        membership_of(user_of(stranger), "gone")
    assert not isinstance(told.value, ProjectDeleted)
    asked = Event.objects.get(verb="project_deleted")
    assert {name: asked.data[name] for name in ("images", "submitted", "drafts", "reason")} == {
        "images": 2,
        "submitted": 1,
        "drafts": 1,
        "reason": "no consent",
    }


def test_what_is_sent_to_it_is_refused_and_kept(lead: Membership, work: Assignment) -> None:
    delete(lead.project)
    with pytest.raises(Deleted) as refused:
        save(assignment_for(person(work), work.pk), {**LIMBS, "note": "too late"}, replaces=1)
    assert refused.value.current.version == 1
    kept = Event.objects.get(verb="refused")
    assert (kept.assignment_id, kept.data["payload"]["note"]) == (work.pk, "too late")


def test_taken_back_it_is_as_it_was(lead: Membership, work: Assignment) -> None:
    running = request_job(project=lead.project, kind="plan_batch", data={}, actor=None)
    tables = (Annotation, Assignment, Image, Membership, Batch)
    before = [list(table._base_manager.order_by("pk").values()) for table in tables]
    delete(lead.project)
    assert take_back_project(project=lead.project, actor=lead.user).goes_at is None
    take_back_project(project=lead.project, actor=lead.user)
    after = [list(table._base_manager.order_by("pk").values()) for table in tables]
    assert after == before
    assert save(work, replaces=1).version == 2
    assert Job.objects.get(pk=running.pk).status == "cancelled"
    said = Event.objects.filter(project=lead.project, assignment=None).order_by("pk")
    assert list(said.values_list("verb", flat=True)) == [
        "project_deleted",
        "job_cancelled",
        "project_taken_back",
    ]


def test_once_its_time_is_over_it_cannot_be_taken_back(lead: Membership) -> None:
    delete(lead.project)
    Project.objects.update(goes_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(DeletionRefused, match="can no longer be undone"):
        take_back_project(project=lead.project, actor=None)
    assert remove_deleted() == (0, 0), "somebody may be taking it back by a clock that is behind"


def test_everything_of_it_goes_and_the_record_stays(lead: Membership, work: Assignment) -> None:
    project, other = lead.project, make_project("stays")
    Plan.objects.create(batch=work.batch, kind="release", algorithm="a", annotators=[], design=b"")
    bring(project, {"a.png": b"one"})
    request_job(project=project, kind="plan_batch", data={}, actor=None)
    shared = work.image
    twin = Image.objects.create(
        project=other,
        **{
            name: getattr(shared, name)
            for name in ("file", "display", "sha256", "source_name", "format", "width", "height")
        },
    )
    own = Image.objects.filter(project=project).exclude(pk=shared.pk).get()
    delete(project)
    assert remove_deleted() == (0, 0)
    events = list(Event.objects.order_by("pk").values())
    assert remove_deleted(timezone.now() + AFTER) == (0, 1)
    assert remove_deleted(timezone.now() + AFTER) == (0, 0)
    assert [
        table._base_manager.count()
        for table in (Annotation, Assignment, Batch, Plan, Job, Upload, UploadedFile, Membership)
    ] == [0] * 8
    assert list(Project.objects.all()) == [other]
    assert list(Image.everything.all()) == [twin]
    assert default_storage.exists(twin.file.name or "")
    assert default_storage.exists(twin.display.name or "")
    assert not default_storage.exists(own.file.name or "")
    assert not default_storage.exists(own.display.name or "")
    assert list(Event.objects.order_by("pk").values())[: len(events)] == events
    said = Event.objects.get(verb="project_removed")
    assert said.project_id == project.pk
    assert said.data == {
        "name": "Gone soon",
        "slug": "gone",
        "images": 2,
        "assignments": 2,
        "submitted": 1,
        "drafts": 1,
        "people": 2,
    }


def test_a_sweep_that_stops_is_gone_on_with(lead: Membership, work: Assignment) -> None:
    delete(lead.project)
    later = timezone.now() + AFTER
    assert remove_deleted(later, seconds=-1) == (0, 0)
    assert Annotation.objects.count() == 2
    Annotation.objects.first().delete()  # type: ignore[union-attr]  # as far as the first sweep came
    assert remove_deleted(later) == (0, 1)
    # What there was, not what the second sweep found.
    assert Event.objects.get(verb="project_removed").data["submitted"] == 1
