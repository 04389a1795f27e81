"""The first page after signing in."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db.models import Count, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from annotator.models import Assignment, Batch, Membership, User
from annotator.models.counting import is_labelled_here, per_row
from annotator.projects.creation import may_create_projects


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Show the user's projects; redirect an annotator with a single project to its queue."""
    assert isinstance(request.user, User)  # signed in
    own = list(with_waiting(_all_memberships(request.user)))
    memberships = [each for each in own if each.project.goes_at is None]
    # Shown with a notice, so that they are not simply missing.
    leaving = [each for each in own if each.project.goes_at is not None]
    if len(memberships) == 1 and not leaving and memberships[0].role == Membership.Role.ANNOTATOR:
        return redirect("queue", memberships[0].project.slug)
    leads = any(each.role == Membership.Role.LEAD for each in memberships)
    context = {
        "memberships": memberships,
        "leaving": leaving,
        "may_create": leads or may_create_projects(request.user),
        "sees_server": leads or request.user.is_superuser,
    }
    return render(request, "annotator/home.html", context)


def active_memberships(user: User) -> QuerySet[Membership]:
    """Return a user's memberships by project name, without deleted projects."""
    return _all_memberships(user).filter(project__goes_at=None)


def _all_memberships(user: User) -> QuerySet[Membership]:
    return (
        Membership.objects.filter(user=user, is_active=True)
        .select_related("project")
        .order_by("project__name", "pk")
    )


def with_waiting(memberships: QuerySet[Membership]) -> QuerySet[Membership]:
    """Annotate each membership with its number of assignments (`owed`) and of open ones (`waiting`), without
    imported ones."""
    held = Assignment.objects.filter(annotator=OuterRef("pk"), position__isnull=False)
    shown = held.filter(is_labelled_here()).exclude(batch__status=Batch.Status.PREPARING)
    own = shown.order_by().values("annotator")
    still_open = Count("pk", filter=Q(status=Assignment.Status.OPEN, batch__status=Batch.Status.OPEN))
    return memberships.annotate(owed=per_row(own, Count("pk")), waiting=per_row(own, still_open))
