"""Batches, their assignments and the caller's queue."""

from __future__ import annotations

from typing import Any, Literal

from django.http import HttpRequest
from ninja import Query
from pydantic import Field

from analysis.api import schemas
from analysis.api.images import picture_of
from analysis.api.paging import LARGEST, filled, page_of
from analysis.api.protocols import Naming, PagingAbout, require_known
from analysis.api.routing import Routes
from analysis.api.security import person
from annotator.annotations.locking import bar_shown, request_of_lead
from annotator.annotations.queue import queue_page
from annotator.annotations.versioned_changes import nothing_yet
from annotator.models import Annotation, Assignment, Batch, Project, User
from annotator.people.access import assignment_for, batch_as_lead, membership_of, project_as_lead
from annotator.projects import overview

router = Routes("Batches and assignments")


Purpose = Literal["work", "training", "qualification", "anchor", "repeat", "norming"]


class TaskFilters(PagingAbout):
    """Filters for the caller's images."""

    status: Literal["open", "done", "skipped"] | None = Field(None, description="Only this status.")
    batch: int | None = Field(None, ge=1, le=LARGEST, description="Only the batch with this id.")


class AssignmentFilters(PagingAbout):
    """Filters for assignments."""

    status: Literal["open", "done", "skipped", "withdrawn"] | None = Field(
        None, description="Only this status."
    )
    batch: int | None = Field(None, ge=1, le=LARGEST, description="Only the batch with this id.")
    annotator: int | None = Field(None, ge=1, le=LARGEST, description="Only the annotator with this id.")
    purpose: Purpose = Field("work", description="Purpose of the annotations; `work` is what counts.")


@router.reading("/projects/{slug:slug}/batches", schemas.Batches, "batches")
def list_batches(request: HttpRequest, slug: str, asked: Query[PagingAbout]) -> schemas.Batches:
    """List a project's batches and their progress, newest first. For leads."""
    project = project_as_lead(person(request), slug)
    found = overview.batches_of(project).filter(**_narrowed(project, asked, "protocol"))
    return page_of(schemas.Batches, found, asked, _batch, order=["-pk"])


@router.reading("/batches/{int:batch}", schemas.Batch, "batch")
def read_batch(request: HttpRequest, batch: int) -> schemas.Batch:
    """Read one batch. For leads."""
    found = batch_as_lead(person(request), batch)
    return _batch(overview.batches_of(found.project).get(pk=found.pk))


@router.reading("/projects/{slug:slug}/assignments", schemas.Assignments, "assignments")
def list_assignments(request: HttpRequest, slug: str, asked: Query[AssignmentFilters]) -> schemas.Assignments:
    """List a project's assignments, including withdrawn ones. For leads."""
    project = project_as_lead(person(request), slug)
    chosen = _narrowed(project, asked, "batch__protocol")
    found = Assignment.objects.filter(batch__project=project, image__goes_at=None, **chosen)
    related = found.select_related("batch", "image", "annotator", "annotation").defer(*_HEAVY)
    naming = Naming(project)
    return page_of(schemas.Assignments, related, asked, lambda row: _assignment(row, naming))


@router.reading("/projects/{slug:slug}/queue", schemas.Queue, "queue")
def list_queue(request: HttpRequest, slug: str, asked: Query[TaskFilters]) -> schemas.Queue:
    """List the images assigned to you, in your order. Prompt and generator are null unless shown."""
    own = membership_of(person(request), slug)
    chosen = _narrowed(own.project, asked, "batch__protocol")
    found, naming = queue_page(own).filter(**chosen), Naming(own.project_id)
    order = ["batch_id", "position"]
    return page_of(schemas.Queue, found, asked, lambda row: schemas.Task(**task(row, naming)), order)


@router.reading("/assignments/{int:assignment}", schemas.TaskDetails, "task")
def read_assignment(request: HttpRequest, assignment: int) -> schemas.TaskDetails:
    """Read one of your assignments, with your annotation and the version that a change must name."""
    return task_details(person(request), assignment)


def task_details(user: User, pk: int) -> schemas.TaskDetails:
    """Return the status of one of the user's assignments; raise Http404."""
    found = assignment_for(user, pk)
    stored = Annotation.objects.filter(assignment=found).first()
    answer = stored or nothing_yet(found)
    return schemas.TaskDetails(
        **task(found, Naming(found.batch.project_id), stored),
        annotation=stored.pk if stored else None,
        payload=answer.payload,
        warnings=answer.warnings,
        saved_at=answer.saved_at,
        barred=bar_shown(found, stored),
        request=request_of_lead(found, stored),
    )


def task(row: Assignment, naming: Naming, stored: Annotation | None = None) -> dict[str, Any]:
    """Return the fields of an assignment that its annotator may see; never what the batch hides."""
    stored = stored or getattr(row, "annotation", None)
    batch, image = row.batch, row.image
    return {
        "id": row.pk,
        "batch": filled(schemas.BatchName, batch),
        **naming.of(batch.protocol),
        "position": row.position,
        "status": row.status,
        "version": stored.version if stored else 0,
        "answer": stored.status if stored else None,
        "image": filled(
            schemas.ImageToJudge,
            image,
            id=image.public_id,
            picture=picture_of(image, blurred=batch.is_blurred),
        ),
        "prompt": image.prompt if batch.show_prompt else None,
        "generator": image.generator if batch.show_generator else None,
    }


_HEAVY = ("annotation__payload", "annotation__ratings", "annotation__source", "annotation__capture")


def _assignment(row: Assignment, naming: Naming) -> schemas.Assignment:
    stored: Annotation | None = getattr(row, "annotation", None)
    return filled(
        schemas.Assignment,
        row,
        batch=row.batch_id,
        image=row.image.public_id,
        annotator=row.annotator.code,
        annotation=stored.pk if stored else None,
        **naming.of(row.batch.protocol),
    )


def _narrowed(project: Project, asked: PagingAbout, protocol: str) -> dict[str, Any]:
    """Return the filters of a list; `protocol` is the lookup of a row's protocol."""
    require_known(project, asked.protocol)
    chosen = asked.model_dump(exclude={"limit", "after"}, exclude_none=True)
    return {protocol if name == "protocol" else name: value for name, value in chosen.items()}


def _batch(row: Batch) -> schemas.Batch:
    facts = {"settings": row.settings} if row.settings else {}
    seen = {"prompt_seen": row.prompt_was.value, "generator_seen": row.generator_was.value}
    images = row.image_count  # type: ignore[attr-defined]
    return filled(schemas.Batch, row, overlap=str(row.overlap), images=images, **seen, **facts)
