"""Annotations: leads read all of a project, everybody else their own."""

from datetime import datetime
from fractions import Fraction
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from ninja import Field, FilterLookup, FilterSchema, Query, Router, Schema
from ninja.pagination import paginate

from analysis.api.refusals import REFUSALS, Invalid
from analysis.api.requests import PLAIN, Pages, ProtocolSlug, person, protocol_asked_for
from annotator import models
from annotator.annotations.unreadable import says_nothing
from annotator.models import Membership
from annotator.people.access import annotation_as_lead, membership_of, own_annotation

router: Final = Router(tags=["Annotations"])

Purpose = Literal["work", "training", "qualification", "anchor", "repeat", "norming"]


class Annotation(Schema):
    """An annotation without its content."""

    id: int
    batch: str = Field(alias="assignment.batch.name", description="The batch's name.")
    protocol: str = Field(alias="assignment.batch.protocol")
    image: UUID | None = Field(description="For leads; null for annotators: it would tell a repeated image.")
    annotator: str = Field(alias="assignment.annotator.code", description="The annotator's code.")
    status: str = Field(description="`draft`, `submitted` or `reopened`.")
    version: int
    flagged: bool = Field(description="Whether the annotator had doubts about the image.")
    guideline: str | None = Field(
        description="Version of the guideline in force at submission; null if none was published."
    )
    created_at: datetime
    saved_at: datetime
    submitted_at: datetime | None

    @staticmethod
    def resolve_image(row: models.Annotation, context: Any) -> UUID | None:
        """Return the id of the image; None for the annotator's own annotations."""
        annotator = row.assignment.annotator
        own = annotator.user_id == person(context["request"]).pk
        return None if own and annotator.role != Membership.Role.LEAD else row.assignment.image.public_id


class Remark(Schema):
    """A warning about something in an annotation that is allowed but looks like a slip."""

    field: str
    code: str
    message: str


class Rating(Schema):
    """One number derived from an annotation at submission."""

    variable: str = Field(examples=["cell_score"])
    component: str = Field(description="A cell, or empty for the whole image.")
    value: str = Field(description="The exact value as a fraction.", examples=["1/4"])
    number: float = Field(description="The nearest 64-bit float.")


class AnnotationDetails(Annotation):
    """An annotation with its content."""

    payload: dict[str, Any]
    warnings: list[Remark]
    ratings: list[Rating] | None = Field(description="For leads; null without ratings.")
    purpose: str = Field(alias="assignment.purpose", description="For leads; empty for annotators.")

    @staticmethod
    def resolve_ratings(row: models.Annotation) -> list[Rating] | None:
        """Return the ratings; None if the payload has unread terms and says nothing else."""
        if not row.ratings or (row.has_unread_terms and says_nothing(row.payload)):
            return None
        return [
            Rating(variable=variable, component=component, value=value, number=float(Fraction(value)))
            for variable, component, value in row.ratings
        ]


class AnnotationFilters(FilterSchema):
    """Filters for annotations."""

    status: Literal["draft", "submitted", "reopened"] | None = None
    batch: Annotated[str | None, FilterLookup("assignment__batch__name")] = Field(
        None, max_length=120, pattern=PLAIN, description="Name of a batch."
    )
    annotator: Annotated[str | None, FilterLookup("assignment__annotator__code")] = Field(
        None, max_length=120, pattern=PLAIN, description="Code of an annotator."
    )
    image: Annotated[UUID | None, FilterLookup("assignment__image__public_id")] = Field(
        None, description="For leads."
    )
    protocol: Annotated[ProtocolSlug, FilterLookup("assignment__batch__protocol")] = None
    flagged: bool | None = None
    purpose: Annotated[Purpose | None, FilterLookup("assignment__purpose")] = Field(
        None, description="For leads; `work`, what counts, by default."
    )


_CONTENT: Final = ("payload", "ratings", "source", "capture", "warnings")


@router.get(
    "/projects/{slug:slug}/annotations", response={200: list[Annotation], **REFUSALS}, url_name="annotations"
)
@paginate(Pages)
def list_annotations(
    request: HttpRequest, slug: str, filters: Query[AnnotationFilters]
) -> QuerySet[models.Annotation]:
    """List a project's annotations without their content, which exports have. Annotators see only their own.

    For leads, all of one purpose.
    """
    own = membership_of(person(request), slug)
    if filters.protocol is not None:
        protocol_asked_for(own.project, filters.protocol)
    visible = models.Annotation.objects.filter(assignment__batch__project=own.project_id)
    if own.role == Membership.Role.LEAD:
        filters.purpose = filters.purpose or "work"
    elif refused := [name for name in ("purpose", "image") if getattr(filters, name) is not None]:
        # They would tell annotators which of their images are compared with a reference, or repeated.
        words = "Only a lead can filter by {}. Omit it to list all of yours."
        raise Invalid({name: [words.format(name)] for name in refused})
    else:
        visible = visible.filter(assignment__annotator=own)
    related = visible.select_related("assignment__image", "assignment__annotator", "assignment__batch")
    return filters.filter(related.defer(*_CONTENT))


@router.get(
    "/annotations/{int:annotation}", response={200: AnnotationDetails, **REFUSALS}, url_name="annotation"
)
def read_annotation(request: HttpRequest, annotation: int) -> models.Annotation:
    """Read one annotation of a project you lead, or one of your own."""
    user = person(request)
    try:
        return annotation_as_lead(user, annotation)
    except Http404:
        own = own_annotation(user, annotation)
        # Only leads may know these; the row is not saved.
        own.ratings, own.assignment.purpose = None, ""
        return own
