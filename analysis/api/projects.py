"""Projects, their members, and what needs their leads."""

from __future__ import annotations

from datetime import date, datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Query
from pydantic import BaseModel, Field

from analysis.api import schemas
from analysis.api.paging import Paging, Shape, filled, page_of
from analysis.api.routing import Routes
from analysis.api.security import person
from analysis.home import series
from analysis.home.dashboard import dashboard_of
from annotator.models import Membership
from annotator.people.access import membership_of, project_as_lead
from annotator.people.codes import waits_for_its_person
from annotator.people.memberships import active_memberships, with_waiting
from annotator.projects import overview

router = Routes("Projects")


@router.reading("/projects", schemas.Projects, "projects")
def list_projects(request: HttpRequest, paging: Query[Paging]) -> schemas.Projects:
    """List your projects and your role in each."""
    found = with_waiting(active_memberships(person(request)))
    return page_of(schemas.Projects, found, paging, partial(_person_of, schemas.Project))


@router.reading("/projects/{slug:slug}", schemas.ProjectDetails, "project")
def read_project(request: HttpRequest, slug: str) -> schemas.ProjectDetails:
    """Read one of your projects. Leads also see its counts."""
    user = person(request)
    own = membership_of(user, slug)
    row = with_waiting(active_memberships(user)).get(pk=own.pk)
    counts = overview.project_counts(row.project) if row.role == Membership.Role.LEAD else None
    weights = row.project.weights if counts else None
    counted = filled(schemas.Counts, counts) if counts else None
    return _person_of(schemas.ProjectDetails, row, weights=weights, counts=counted)


class Need(BaseModel):
    """One thing that needs a lead."""

    code: str = Field(description="Its kind, such as `flags`, `disagreements` or `silent`.")
    harm: int = Field(description="Urgency: 1 is the most urgent.")
    title: str
    evidence: str
    count: int
    images: list[UUID] = Field(description="Up to three images.")
    page: str = Field(description="URL of the page on which to do it.")


class Done(BaseModel):
    """The annotations done by the end of a day."""

    day: date
    done: int


class Expected(BaseModel):
    """The estimated completion, with its 80% range, at the pace of the last 7 days."""

    per_day: float
    expected: date
    low: date
    high: date | None = Field(description="Null if the pace is too uneven to say.")


class Progress(BaseModel):
    """The progress of a project."""

    done: int
    total: int
    left: int = Field(description="Open in open batches.")
    days: list[Done]
    completion: Expected | None = Field(
        description="Null with too few days with annotations, or nothing left."
    )


class Annotator(BaseModel):
    """One annotator at work."""

    code: str
    verdict: str = Field(description="`stop`, `look` or `fine`.")
    why: str
    done: int
    total: int


class Numbers(BaseModel):
    """A headline number on one day, with its 95% interval."""

    day: date
    value: float
    low: float | None
    high: float | None
    images: int


class Latest(BaseModel):
    """A recent annotation."""

    annotation: int
    image: UUID
    annotator: str
    submitted_at: datetime


class Overview(BaseModel):
    """The home of a project's leads."""

    needs: list[Need] = Field(description="The worst first.")
    progress: Progress
    annotators: list[Annotator] = Field(description="At most eight, the worst first.")
    latest: list[Latest]
    agreement: list[Numbers] = Field(
        description="Alpha of the headline by day, from 20 doubly annotated images."
    )
    score: list[Numbers] = Field(description="The mean headline over all images by day, from 20 images.")


@router.reading("/projects/{slug:slug}/overview", Overview, "overview")
def read_overview(request: HttpRequest, slug: str) -> Overview:
    """Read what needs a project's leads, its progress, and its headline numbers by day. For leads."""
    found = dashboard_of(project_as_lead(person(request), slug))
    return Overview(
        needs=[
            filled(Need, need, images=[image.public_id for image in need.drawn], page=need.address)
            for need in found.needs
        ],
        progress=_progress(found.progress),
        annotators=[
            filled(Annotator, line, code=line.work.member.code, done=line.work.done, total=line.work.total)
            for line in found.annotators
        ],
        latest=[
            filled(
                Latest,
                row,
                annotation=row.pk,
                image=row.assignment.image.public_id,
                annotator=row.assignment.annotator.code,
            )
            for row in found.latest
            if row.submitted_at is not None
        ],
        agreement=[Numbers(**vars(point)) for point in found.agreement.points],
        score=[Numbers(**vars(point)) for point in found.score.points],
    )


def _progress(found: series.Progress) -> Progress:
    completion = None
    if found.forecast is not None and found.expected is not None and found.low is not None:
        completion = Expected(
            per_day=found.forecast.per_day, expected=found.expected, low=found.low, high=found.high
        )
    days = [Done(day=day, done=done) for day, done in found.days]
    return filled(Progress, found, days=days, completion=completion)


@router.reading("/projects/{slug:slug}/people", schemas.People, "people")
def list_people(request: HttpRequest, slug: str, paging: Query[Paging]) -> schemas.People:
    """List a project's members and their progress. For leads."""
    project = project_as_lead(person(request), slug)
    return page_of(schemas.People, overview.people_of(project, apart=False), paging, _person)


def _person_of(shape: type[Shape], row: Membership, **facts: Any) -> Shape:
    return filled(shape, row, slug=row.project.slug, name=row.project.name, **facts)


def _person(row: Membership) -> schemas.Person:
    user = None if waits_for_its_person(row) else row.user
    return filled(
        schemas.Person, row, account=(user.get_full_name() or user.get_username()) if user else None
    )
