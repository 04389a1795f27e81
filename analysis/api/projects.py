"""Projects of the caller."""

from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status
from ninja.pagination import paginate

from analysis.api.refusals import REFUSALS, Invalid
from analysis.api.requests import Pages, person
from annotator import models
from annotator.models import Membership
from annotator.people.access import membership_of, project_as_lead
from annotator.people.members import active_memberships, with_waiting
from annotator.projects import overview
from annotator.projects.tags import tags_of
from annotator.protocols.rating_form.checking import definition_of_file
from annotator.protocols.rating_form.stored import FormRefused, save_form

router: Final = Router(tags=["Projects"])


class Counts(Schema):
    """The size and progress of a project."""

    images: int
    assignments: int = Field(alias="work.total", description="Images to annotate here, once per annotator.")
    submitted: int = Field(alias="work.submitted")
    skipped: int = Field(alias="work.skipped")
    imported: int = Field(alias="work.imported", description="Annotations made elsewhere.")


class Project(Schema):
    """A project of yours and your role in it."""

    slug: str = Field(alias="project.slug", description="The project in URLs.", examples=["pilot"])
    name: str = Field(alias="project.name")
    role: str = Field(description="`lead`, `annotator` or `reviewer`.")
    code: str = Field(description="Your code in the data.")
    owed: int = Field(description="Number of images assigned to you.")
    waiting: int = Field(description="Number of these still open.")


class ProjectDetails(Project):
    """One project; leads also see weights and counts."""

    weights: dict[str, str] | None = Field(description="Severity weights as exact decimals; leads only.")
    counts: Counts | None = Field(description="Leads only.")
    tags: dict[int, str] = Field(description="The tags by number, as `tags` of a payload lists them.")

    @staticmethod
    def resolve_weights(row: Membership) -> dict[str, str] | None:
        """Return the weights, for a lead."""
        return row.project.weights if row.role == Membership.Role.LEAD else None

    @staticmethod
    def resolve_tags(row: Membership) -> dict[int, str]:
        """Return the names of the project's tags by number."""
        return tags_of(row.project)

    @staticmethod
    def resolve_counts(row: Membership) -> overview.ProjectCounts | None:
        """Return the counts, for a lead."""
        return overview.project_counts(row.project) if row.role == Membership.Role.LEAD else None


class RatingForm(Schema):
    """A rating form; `definition` is what its builder downloads."""

    slug: str = Field(description="The protocol of its batches.")
    retired: bool = Field(description="Whether new batches are not offered it.")
    definition: dict[str, Any]


@router.get("/projects", response={200: list[Project], **REFUSALS}, url_name="projects")
@paginate(Pages)
def list_projects(request: HttpRequest) -> QuerySet[Membership]:
    """List your projects and your role in each."""
    return with_waiting(active_memberships(person(request)))


@router.get("/projects/{slug:slug}", response={200: ProjectDetails, **REFUSALS}, url_name="project")
def read_project(request: HttpRequest, slug: str) -> Membership:
    """Read one of your projects."""
    user = person(request)
    own = membership_of(user, slug)
    return with_waiting(active_memberships(user)).get(pk=own.pk)


@router.get("/projects/{slug:slug}/forms", response={200: list[RatingForm], **REFUSALS}, url_name="forms")
@paginate(Pages)
def list_forms(request: HttpRequest, slug: str) -> QuerySet[models.RatingForm]:
    """List the rating forms of a project; leads only."""
    return project_as_lead(person(request), slug).rating_forms.all()


@router.get(
    "/projects/{slug:slug}/forms/{slug:form}", response={200: RatingForm, **REFUSALS}, url_name="form"
)
def read_form(request: HttpRequest, slug: str, form: str) -> models.RatingForm:
    """Read a rating form; leads only."""
    return get_object_or_404(project_as_lead(person(request), slug).rating_forms.all(), slug=form)


@router.post(
    "/projects/{slug:slug}/forms",
    response={201: RatingForm, **REFUSALS},
    url_name="forms",
    openapi_extra={"requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}}},
)
def add_form(request: HttpRequest, slug: str) -> Status[models.RatingForm]:
    """Store a rating form from its definition; the same one again changes nothing; leads only."""
    user = person(request)
    project = project_as_lead(user, slug)
    try:
        return Status(201, save_form(project, definition_of_file(request.body), membership_of(user, slug)))
    except FormRefused as refused:
        raise Invalid(refused.faults) from refused
