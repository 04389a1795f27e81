"""Deleting an image, and a project in two steps, with nothing lost before the second."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.http import Http404
from django.utils import timezone

from analysis.data.ratings_table import submitted
from analysis.exports.filters import Filters, answers
from analysis.reports.status import changes_since
from annotator.annotations.queue import next_assignment
from annotator.annotations.versioned_changes import Barred
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
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
from annotator.records.image_deletion import delete_image, goes_with
from annotator.records.project_deletion import DeletionRefused, delete_project, take_back_project
from annotator.records.purge import remove_deleted
from annotator.work.jobs import request_job
from tests.annotator.acting import HANDS, delete_with_all, person, save, submit
from tests.annotator.planned import faults_in, make_study, released
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

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]


@pytest.fixture
def queue() -> list[Assignment]:
    """Four images of one annotator: done, a draft, skipped, open."""
    project = make_project("study")
    make_member(project, LEAD)
    ada, batch = make_member(project), make_batch(project)
    rows = [make_assignment(ada, batch=batch, image=make_stored_image(project)) for _ in range(4)]
    submit(rows[0])
    save(rows[1])
    Assignment.objects.filter(pk=rows[2].pk).update(status="skipped")
    return rows


def stored() -> list[tuple[int, int | None, str]]:
    return list(Assignment.objects.order_by("pk").values_list("pk", "position", "status"))


@pytest.mark.parametrize("place", range(4))
def test_it_leaves_the_queue(queue: list[Assignment], place: int) -> None:
    before = stored()
    gone = queue[place]
    delete_with_all(gone.image)
    delete_with_all(Image(pk=gone.image_id, project=gone.batch.project))
    rest = [row for row in before if row[0] != gone.pk]
    assert [row for row in stored() if row[1] is not None] == [
        (pk, number, status) for number, (pk, _, status) in enumerate(rest, start=1)
    ]
    assert not Assignment.objects.filter(pk=gone.pk).exists()
    assert Event.objects.get(assignment=None).verb == "image_deleted"


def test_its_answers_count_nowhere(queue: list[Assignment]) -> None:
    done, project = queue[0], queue[0].batch.project
    told = goes_with(done.image)
    assert told == {"submitted": 1, "drafts": 0, "annotations": 1, "people": 1, "batches": [done.batch.name]}
    began = timezone.now()
    delete_with_all(done.image)
    assert not submitted(project).exists()
    assert not answers(project, Filters()).filter(assignment=done).exists()
    assert changes_since(project, began).deleted == 1
    assert list(project.images.values_list("pk", flat=True)) == [row.image_id for row in queue[1:]]


@pytest.mark.parametrize("place", range(4))
def test_what_is_under_way_is_refused_and_kept(queue: list[Assignment], place: int) -> None:
    row = queue[place]
    opened, version = assignment_for(person(row), row.pk), Annotation.objects.filter(assignment=row).count()
    delete_with_all(row.image)
    with pytest.raises(Barred, match="deleted:"):
        save(opened, HANDS, replaces=version)
    assert Event.objects.get(verb="refused").data["payload"]["marks"] == HANDS["marks"]
    following = next_assignment(row.annotator)
    assert following is not None
    assert following.pk == queue[3 if place == 1 else 1].pk


def test_nothing_goes_that_the_lead_has_not_counted(queue: list[Assignment]) -> None:
    done = queue[0]
    for typed in ("0", "", "one", "１"):
        with pytest.raises(DeletionRefused, match="not what you typed") as refused:
            delete_image(image=done.image, typed=typed, reason="no consent", actor=None)
        assert refused.value.code == "number"
    assert Annotation.objects.filter(assignment=done).exists()
    assert default_storage.exists(done.image.file.name or "")


def test_it_goes_at_once(queue: list[Assignment]) -> None:
    image, kept = queue[0].image, queue[1].image
    upload = Upload.objects.create(project=image.project, status="storing")
    with pytest.raises(DeletionRefused, match="being stored"):
        delete_with_all(image)
    Upload.objects.filter(pk=upload.pk).update(status="stored")
    delete_with_all(image)
    assert not default_storage.exists(image.file.name or "")
    assert not default_storage.exists(image.display.name or "")
    assert default_storage.exists(kept.file.name or "")
    assert not Image.objects.filter(pk=image.pk).exists()
    assert not Assignment.objects.filter(pk=queue[0].pk).exists()
    assert Annotation.objects.count() == 1
    said = Event.objects.get(verb="image_deleted")
    assert (said.data["submitted"], said.data["sha256"]) == (1, image.sha256)
    assert said.data["assignments"] == [[queue[0].pk, "done", 1]]
    assert Event.objects.filter(assignment=queue[0].pk, verb="submitted").exists()


def test_a_file_that_stays_keeps_its_row(queue: list[Assignment], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> None:
        raise OSError("read-only")

    with monkeypatch.context() as patch:
        patch.setattr(default_storage, "delete", broken)
        with pytest.raises(DeletionRefused, match="could not be removed"):
            delete_with_all(queue[0].image)
    assert Annotation.objects.filter(assignment=queue[0]).exists()
    delete_with_all(queue[0].image)
    assert not Image.objects.filter(pk=queue[0].image_id).exists()


def test_a_plan_is_still_what_is_stored() -> None:
    batch = released(make_study("planned"))
    image = Image.objects.filter(assignments__batch=batch).order_by("pk")[3]
    other = Image.objects.filter(assignments__batch=batch).order_by("pk")[5]
    assert faults_in(batch) == []
    delete_with_all(image)
    delete_with_all(other)
    assert faults_in(batch, even=False) == []
    a, b = (batch.project.memberships.get(code=code) for code in "AB")
    change = propose_people_change(batch=batch, leaving=[a])
    assert image.sha256 not in {one.image for one in change.add}
    apply_people_change(batch=batch, leaving=[a], outcome=outcome_of(change), reason="left", actor=None)
    assert faults_in(batch, even=False) == []
    again = propose_people_change(batch=batch, leaving=[b])
    assert other.sha256 not in {one.image for one in again.add}


AFTER_GRACE = timedelta(days=30, minutes=11)


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


def end(project: Project, typed: str = "Gone soon", reason: str = "no consent") -> Project:
    return delete_project(project=project, typed=typed, reason=reason, actor=None)


def test_nobody_can_open_it(lead: Membership, work: Assignment) -> None:
    end(lead.project)
    end(lead.project)
    for look, who in ((project_as_lead, lead), (membership_of, lead), (membership_of, work.annotator)):
        with pytest.raises(ProjectDeleted):
            look(user_of(who), "gone")
    with pytest.raises(Http404):
        image_for(user_of(lead), work.image.public_id)
    asked = Event.objects.get(verb="project_deleted").data
    told = [asked[name] for name in ("images", "submitted", "drafts", "reason")]
    assert told == [2, 1, 1, "no consent"]


def test_taken_back_it_is_as_it_was(lead: Membership, work: Assignment) -> None:
    running = request_job(project=lead.project, kind="make_bundle", data={}, actor=None)
    tables = (Annotation, Assignment, Image, Membership, Batch)
    before = [list(table._base_manager.order_by("pk").values()) for table in tables]
    end(lead.project)
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
    end(lead.project)
    Project.objects.update(goes_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(DeletionRefused, match="can no longer be undone"):
        take_back_project(project=lead.project, actor=None)
    assert remove_deleted() == 0, "somebody may be taking it back by a clock that is behind"


def test_everything_of_it_goes_and_the_record_stays(lead: Membership, work: Assignment) -> None:
    project, other = lead.project, make_project("stays")
    Plan.objects.create(batch=work.batch, kind="release", algorithm="a", annotators=[], design=b"")
    bring(project, {"a.png": b"one"})
    request_job(project=project, kind="make_bundle", data={}, actor=None)
    shared = work.image
    twin = Image.objects.create(
        project=other,
        **{
            name: getattr(shared, name)
            for name in ("file", "display", "sha256", "source_name", "format", "width", "height")
        },
    )
    own = Image.objects.filter(project=project).exclude(pk=shared.pk).get()
    end(project)
    assert remove_deleted() == 0
    events = list(Event.objects.order_by("pk").values())
    assert remove_deleted(timezone.now() + AFTER_GRACE) == 1
    assert remove_deleted(timezone.now() + AFTER_GRACE) == 0
    assert [
        table._base_manager.count()
        for table in (Annotation, Assignment, Batch, Plan, Job, Upload, UploadedFile, Membership)
    ] == [0] * 8
    assert list(Project.objects.all()) == [other]
    assert list(Image.objects.all()) == [twin]
    assert default_storage.exists(twin.file.name or "")
    assert default_storage.exists(twin.display.name or "")
    assert not default_storage.exists(own.file.name or "")
    assert not default_storage.exists(own.display.name or "")
    assert list(Event.objects.order_by("pk").values())[: len(events)] == events
    said = Event.objects.get(verb="project_removed")
    assert said.project_id == project.pk
    counts = {"images": 2, "assignments": 2, "submitted": 1, "drafts": 1, "people": 2}
    assert said.data == {"name": "Gone soon", "slug": "gone", **counts}


def test_a_sweep_that_stops_is_gone_on_with(lead: Membership, work: Assignment) -> None:
    end(lead.project)
    later = timezone.now() + AFTER_GRACE
    assert remove_deleted(later, seconds=-1) == 0
    assert Annotation.objects.count() == 2
    Annotation.objects.first().delete()  # type: ignore[union-attr]  # as far as the first sweep came
    assert remove_deleted(later) == 1
    # What there was, not what the second sweep found.
    assert Event.objects.get(verb="project_removed").data["submitted"] == 1
