"""The first page after signing in, and the home of a project's leads."""

from __future__ import annotations

from typing import Any, Final
from uuid import uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from analysis.data.conduct import INTERIM
from analysis.home.dashboard import dashboard_of
from analysis.home.needs import needs_of
from analysis.home.project_work import ProjectWork, work_of
from analysis.home.resolving import resolve
from analysis.home.setup import setup_of
from annotator.inputs.plain_text import InvalidReason
from annotator.models import Event, Membership, Project
from annotator.people.access import project_as_lead
from annotator.people.members import all_memberships, with_waiting
from annotator.projects.checklist import next_step
from annotator.projects.creation import may_create_projects
from annotator.uploads.status import unfinished_upload
from annotator.web.views.pages import SignedIn, page_of, post_page, safe_page

PROJECTS: Final = 20
NEEDS_FIRST: Final = 5
"""Needs shown at once; the others are folded."""


@safe_page
def home(request: SignedIn) -> HttpResponse:
    """Show the user's projects; redirect an annotator with a single project to its queue."""
    every = all_memberships(request.user)
    # Shown with a notice, so that they are not simply missing.
    leaving = list(every.exclude(project__goes_at=None))
    page = page_of(request, with_waiting(every.filter(project__goes_at=None)), PROJECTS)
    memberships = list(page)
    if len(memberships) == 1 and not leaving and memberships[0].role == Membership.Role.ANNOTATOR:
        return redirect("queue", memberships[0].project.slug)
    leads = any(membership.role == Membership.Role.LEAD for membership in memberships)
    context = {
        "cards": _cards(memberships),
        "page": page,
        "leaving": leaving,
        "may_create": leads or may_create_projects(request.user),
    }
    return render(request, "annotator/projects/home.html", context)


@safe_page
def project(request: SignedIn, slug: str) -> HttpResponse:
    """Show the steps of a new project; once a batch is released, what needs its leads, and its progress."""
    led = project_as_lead(request.user, slug)
    work = work_of([led])[led.pk]
    return _dashboard(request, led, work) if work.released else _steps(request, led, work)


def _steps(request: SignedIn, led: Project, work: ProjectWork) -> HttpResponse:
    steps = setup_of(led, work)
    current = next_step(steps)
    adds_images = current is not None and current.kind.slug == "images"
    context = {
        **_shared(led),
        "steps": steps,
        "current": current,
        "begun": unfinished_upload(led) if adds_images else None,
        "done": sum(step.done for step in steps),
        "key": uuid4(),
    }
    return render(request, "analysis/home/steps_page.html", context)


@post_page
def need_resolve(request: SignedIn, slug: str) -> HttpResponse:
    """Resolve one need with a reason, which the history keeps; it comes back when something new happens."""
    led = project_as_lead(request.user, slug)
    key, reason = request.POST.get("key", ""), request.POST.get("reason", "")
    need = next((needed for needed in needs_of([led], work_of([led]))[led.pk] if needed.key == key), None)
    if need is None:
        messages.info(request, "This is no longer on the list.", extra_tags="need-gone")
        return redirect("project", led.slug)
    try:
        resolve(need, led, reason, request.user)
    except InvalidReason as invalid:
        messages.error(request, str(invalid), extra_tags=invalid.code)
        return redirect("project", led.slug)
    messages.success(request, f"Resolved: {need.title}.", extra_tags="need-resolved")
    return redirect("project", led.slug)


@post_page
def results_so_far(request: SignedIn, slug: str) -> HttpResponse:
    """Record that a lead looks at the results before the end, and lead to them."""
    led = project_as_lead(request.user, slug)
    work = work_of([led])[led.pk]
    if _asks_first(request, led, work):
        data = {"done": work.count.submitted, "total": work.count.total}
        Event.objects.create(project=led, actor=request.user, verb=INTERIM, data=data)
    return redirect("report", led.slug, "comparison")


def _asks_first(request: SignedIn, led: Project, work: ProjectWork) -> bool:
    """Return whether results come before the end, which each lead is asked about once.

    Comparing generators while annotations come in tempts leads to stop when one is ahead by chance.
    """
    if not (work.count.there and work.count.left):
        return False
    return not Event.objects.filter(project=led, actor=request.user, verb=INTERIM).exists()


def _dashboard(request: SignedIn, led: Project, work: ProjectWork) -> HttpResponse:
    board = dashboard_of(led, work)
    steps = setup_of(led, work, board["needs"])
    context = {
        **_shared(led),
        "board": board,
        "asks_first": _asks_first(request, led, work),
        "first": board["needs"][:NEEDS_FIRST],
        "rest": board["needs"][NEEDS_FIRST:],
        "steps": steps,
        "current": next_step(steps),
        "done": sum(step.done for step in steps),
    }
    return render(request, "analysis/home/dashboard.html", context)


def _shared(led: Project) -> dict[str, Any]:
    return {"project": led, "section": "overview"}


def _cards(memberships: list[Membership]) -> list[tuple[Membership, ProjectWork | None, int]]:
    """Return the projects of these memberships; work and the number of needs are for leads."""
    led = [membership.project for membership in memberships if membership.role == Membership.Role.LEAD]
    work = work_of(led) if led else {}
    needs = needs_of(led, work) if led else {}
    counts = {pk: len(listed) for pk, listed in needs.items()}
    return [
        (membership, work.get(membership.project_id), counts.get(membership.project_id, 0))
        for membership in memberships
    ]
