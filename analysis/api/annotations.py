"""Annotations: leads read all of a project; annotators write their own, as on the annotation page."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import Http404, HttpRequest
from ninja import Body, Query
from pydantic import BaseModel, ConfigDict, Field

from analysis.api import schemas
from analysis.api.batches import Purpose, task_details
from analysis.api.images import rating_of
from analysis.api.paging import LARGEST, Shape, filled, page_of
from analysis.api.protocols import Naming, PagingAbout, require_known
from analysis.api.refusals import Invalid
from analysis.api.routing import Routes
from analysis.api.security import person
from analysis.exports.filters import WORK
from annotator.annotations.reopening import reopen_annotation
from annotator.annotations.saving import save_draft, submit_annotation
from annotator.annotations.skipping import REASONS, resume_assignment, skip_assignment, was_skipped
from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation, Batch, Membership
from annotator.models.counting import is_work
from annotator.people.access import annotation_as_lead, assignment_for, membership_of, own_annotation

router = Routes("Annotations")

Version = Annotated[
    int,
    Field(strict=True, ge=0, le=LARGEST, description="The version to replace; 0 if none is stored."),
]
Key = Annotated[
    UUID,
    Field(description="Idempotency key. A repeated key returns the result of the first request."),
]


class Sent(BaseModel):
    """A request body; unknown names are refused."""

    model_config = ConfigDict(extra="forbid")


class Answer(Sent):
    """An annotation to save."""

    payload: dict[str, Any] = Field(
        description="The annotation, in the form that GET /assignments/{assignment} returns.",
        examples=[{"marks": [], "no_errors": True}],
    )
    version: Version
    request_key: Key
    capture: dict[str, Any] | None = Field(
        None,
        description="Provenance of the annotation: totals of all times it was opened, which replace those "
        "stored. Implausible values are dropped.",
    )


class Skip(Sent):
    """The reason for skipping an image."""

    reason: str = Field(max_length=40, description=f"One of {', '.join(REASONS)}.", examples=["broken"])
    note: str = Field("", max_length=2000)
    version: Version
    request_key: Key


class Reopening(Sent):
    """The reason for reopening an annotation or a skipped image."""

    reason: str = Field("", max_length=400)
    version: Version
    request_key: Key


class AnnotationFilters(PagingAbout):
    """Filters for annotations."""

    status: Literal["draft", "submitted", "reopened"] | None = Field(None, description="Only this status.")
    batch: int | None = Field(None, ge=1, le=LARGEST, description="Only the batch with this id.")
    annotator: int | None = Field(None, ge=1, le=LARGEST, description="Only the annotator with this id.")
    image: UUID | None = Field(None, description="Only this image.")
    flagged: bool | None = Field(None, description="Only flagged or only unflagged annotations.")
    purpose: Purpose | None = Field(
        None, description="Purpose of the annotations; default `work`, the ones that count. For leads."
    )


PATHS = {
    "batch": "assignment__batch",
    "protocol": "assignment__batch__protocol",
    "annotator": "assignment__annotator",
    "image": "assignment__image__public_id",
    "purpose": "assignment__purpose",
}


@router.reading("/projects/{slug:slug}/annotations", schemas.Annotations, "annotations")
def list_annotations(request: HttpRequest, slug: str, asked: Query[AnnotationFilters]) -> schemas.Annotations:
    """List a project's annotations without their content. Annotators see only their own.

    For their content, use the exports `marks` or `sheet`.
    """
    own = membership_of(person(request), slug)
    require_known(own.project, asked.protocol)
    found = Annotation.objects.filter(
        assignment__batch__project=own.project_id, assignment__image__goes_at=None
    )
    if own.role != Membership.Role.LEAD:
        found = found.filter(assignment__annotator=own)
        found = found.exclude(assignment__batch__status=Batch.Status.PREPARING)
        if asked.purpose is not None:
            raise Invalid({"purpose": ["Only a lead can filter by purpose. Omit it to list all of yours."]})
    elif asked.purpose is None:
        found = found.filter(is_work("assignment__"))
    chosen = asked.model_dump(exclude={"limit", "after"}, exclude_none=True)
    found = found.filter(**{PATHS.get(name, name): value for name, value in chosen.items()})
    related = found.select_related("assignment__image", "assignment__annotator", "assignment__batch")
    light = related.defer("payload", "ratings", "source", "capture", "warnings")
    naming = Naming(own.project_id)
    return page_of(
        schemas.Annotations, light, asked, lambda row: _annotation_of(schemas.Annotation, row, naming)
    )


@router.reading("/annotations/{int:annotation}", schemas.AnnotationDetails, "annotation")
def read_annotation(request: HttpRequest, annotation: int) -> schemas.AnnotationDetails:
    """Read one annotation of a project you lead, or one of your own. Ratings are for leads."""
    try:
        found, rated = annotation_as_lead(person(request), annotation), True
    except Http404:
        found, rated = own_annotation(person(request), annotation), False
    missing = found.has_unread_terms and says_nothing(found.payload)
    ratings = [rating_of(*row) for row in found.ratings] if rated and found.ratings and not missing else None
    purpose = found.assignment.purpose
    named = {"purpose": purpose} if rated and purpose != WORK else {}
    naming = Naming(found.assignment.batch.project_id)
    return _annotation_of(schemas.AnnotationDetails, found, naming, ratings=ratings, **named)


@router.changing("/assignments/{int:assignment}/save", schemas.SavedAnswer, "save")
def save(request: HttpRequest, assignment: int, sent: Body[Answer]) -> schemas.SavedAnswer:
    """Save a draft of your annotation. Returns 409 with the stored version if yours is outdated."""
    user = person(request)
    return _saved(save_draft(assignment=assignment_for(user, assignment), actor=user, **_sent_values(sent)))


@router.changing("/assignments/{int:assignment}/submit", schemas.SavedAnswer, "submit")
def submit(request: HttpRequest, assignment: int, sent: Body[Answer]) -> schemas.SavedAnswer:
    """Submit your annotation; it must be complete. Reports update automatically."""
    user = person(request)
    return _saved(
        submit_annotation(assignment=assignment_for(user, assignment), actor=user, **_sent_values(sent))
    )


@router.changing("/assignments/{int:assignment}/reopen", schemas.TaskDetails, "reopen")
def reopen(request: HttpRequest, assignment: int, sent: Body[Reopening]) -> schemas.TaskDetails:
    """Reopen one of your submitted annotations or skipped images."""
    user = person(request)
    found = assignment_for(user, assignment)
    if was_skipped(found, sent.request_key):
        resume_assignment(assignment=found, actor=user, request_key=sent.request_key)
    else:
        reopen_annotation(
            assignment=found,
            actor=user,
            replaces=sent.version,
            request_key=sent.request_key,
            reason=sent.reason,
        )
    return task_details(user, assignment)


@router.changing("/assignments/{int:assignment}/skip", schemas.TaskDetails, "skip")
def skip(request: HttpRequest, assignment: int, sent: Body[Skip]) -> schemas.TaskDetails:
    """Skip one of your images. A draft is kept."""
    user = person(request)
    skip_assignment(
        assignment=assignment_for(user, assignment),
        actor=user,
        reason=sent.reason,
        note=sent.note,
        replaces=sent.version,
        request_key=sent.request_key,
    )
    return task_details(user, assignment)


def _sent_values(sent: Answer) -> dict[str, Any]:
    return {
        "payload": sent.payload,
        "capture": sent.capture,
        "replaces": sent.version,
        "request_key": sent.request_key,
    }


def _saved(row: Annotation) -> schemas.SavedAnswer:
    return filled(schemas.SavedAnswer, row, annotation=row.pk)


def _annotation_of(shape: type[Shape], row: Annotation, naming: Naming, **facts: Any) -> Shape:
    return filled(
        shape,
        row,
        assignment=row.assignment_id,
        batch=row.assignment.batch_id,
        image=row.assignment.image.public_id,
        annotator=row.assignment.annotator.code,
        **naming.of(row.assignment.batch.protocol),
        **({"guideline": row.guideline} if row.guideline else {}),
        **facts,
    )
