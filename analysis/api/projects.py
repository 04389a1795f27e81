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
from analysis.home.dashboard import dashboard_of, headline_value
from analysis.home.project_work import work_of
from analysis.home.setup import setup_of
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
    verb: str = Field(description="What to do, as on the button.")
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
    verdict: str = Field(description="`stop`, `look`, `fine` or `few`: too few annotations.")
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


class Series(BaseModel):
    """A headline number by day; the first day is the first with enough images."""

    images: int = Field(description="Images that it rests on now.")
    needed: int = Field(description="Images below which no day is shown.")
    days: list[Numbers]


class Version(BaseModel):
    """A version of the guideline."""

    number: str = Field(examples=["1.2"])
    day: date = Field(description="When it was published.")


class Step(BaseModel):
    """A step of the project; each tick is asked of what is there."""

    step: str = Field(description="`images`, `people`, `guideline`, … in the order of the work.")
    title: str
    done: bool
    current: bool = Field(description="Whether it is the next one.")
    detail: str = Field(description="How far it is; empty if there is nothing to say.")


class Latest(BaseModel):
    """A recent annotation."""

    annotation: int
    image: UUID
    annotator: str
    value: float | None = Field(description="Its headline; null without one.")
    submitted_at: datetime


class Overview(BaseModel):
    """The home of a project's leads."""

    checked_at: datetime
    protocol: str = Field(description="The protocol of the headline: the project's only or first one.")
    headline: str = Field(description="The title of its headline number.")
    needs: list[Need] = Field(description="The worst first.")
    resolved: int = Field(description="Number of needs that leads have resolved.")
    steps: list[Step]
    progress: Progress
    annotators: list[Annotator] = Field(description="At most eight, the worst first.")
    more_annotators: int = Field(description="Number of annotators not listed.")
    latest: list[Latest] = Field(description="The last six annotations, the newest first.")
    agreement: Series = Field(description="Alpha of the headline, over doubly annotated images.")
    score: Series = Field(description="The mean headline over all images.")
    versions: list[Version] = Field(description="Versions of the guideline in the days of these series.")


@router.reading("/projects/{slug:slug}/overview", Overview, "overview")
def read_overview(request: HttpRequest, slug: str) -> Overview:
    """Read what needs a project's leads, its progress, and its headline numbers by day. For leads."""
    project = project_as_lead(person(request), slug)
    work = work_of([project])[project.pk]
    found = dashboard_of(project, work)
    return filled(
        Overview,
        found,
        needs=[
            filled(Need, need, images=[image.public_id for image in need.drawn], page=need.address)
            for need in found.needs
        ],
        steps=[
            filled(Step, step, step=step.kind.slug, title=step.kind.title)
            for step in setup_of(project, work, found.needs)
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
                value=None if (value := headline_value(row)) is None else float(value),
            )
            for row in found.latest
        ],
        agreement=_series(found.agreement),
        score=_series(found.score),
        versions=[Version(number=number, day=day) for day, number in found.versions.items()],
    )


def _series(found: series.Series) -> Series:
    return filled(Series, found, days=[Numbers(**vars(point)) for point in found.points])


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
