"""Projects and their members."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Query

from analysis.api import schemas
from analysis.api.paging import Paging, page_of
from analysis.api.routing import Routes
from analysis.api.security import person
from annotator.models import Membership
from annotator.people.access import membership_of, project_as_lead
from annotator.people.codes import waits_for_its_person
from annotator.people.memberships import active_memberships, with_waiting
from annotator.projects import overview

router = Routes("Projects")


@router.reading("/projects", schemas.Projects, "projects")
def list_projects(request: HttpRequest, paging: Query[Paging]) -> schemas.Projects:
    """List your projects and your role in each."""
    rows, following = page_of(with_waiting(active_memberships(person(request))), paging)
    return schemas.Projects(items=[schemas.Project(**_facts(row)) for row in rows], next=following)


@router.reading("/projects/{slug:slug}", schemas.ProjectDetails, "project")
def read_project(request: HttpRequest, slug: str) -> schemas.ProjectDetails:
    """Read one of your projects. Leads also see its counts."""
    user = person(request)
    own = membership_of(user, slug)
    row = with_waiting(active_memberships(user)).get(pk=own.pk)
    counts = overview.project_counts(row.project) if row.role == Membership.Role.LEAD else None
    return schemas.ProjectDetails(
        **_facts(row),
        weights=row.project.weights if counts else None,
        counts=schemas.Counts(images=counts.images, assignments=counts.assignments, done=counts.done)
        if counts
        else None,
    )


@router.reading("/projects/{slug:slug}/people", schemas.People, "people")
def list_people(request: HttpRequest, slug: str, paging: Query[Paging]) -> schemas.People:
    """List a project's members and their progress. For leads."""
    project = project_as_lead(person(request), slug)
    rows, following = page_of(overview.people_of(project), paging)
    return schemas.People(items=[_person(row) for row in rows], next=following)


def _facts(row: Membership) -> dict[str, Any]:
    return {
        "slug": row.project.slug,
        "name": row.project.name,
        "role": row.role,
        "code": row.code,
        "owed": row.owed,  # type: ignore[attr-defined]
        "waiting": row.waiting,  # type: ignore[attr-defined]
    }


def _person(row: Membership) -> schemas.Person:
    user = None if waits_for_its_person(row) else row.user
    return schemas.Person(
        id=row.pk,
        code=row.code,
        role=row.role,
        account=(user.get_full_name() or user.get_username()) if user else None,
        is_active=row.is_active,
        owed=row.owed,  # type: ignore[attr-defined]
        done=row.done,  # type: ignore[attr-defined]
        begun=row.begun,  # type: ignore[attr-defined]
    )
