"""A user's memberships, with the work that waits for them."""

from __future__ import annotations

from django.db.models import Count, OuterRef, Q, QuerySet

from annotator.models import Assignment, Batch, Membership, User
from annotator.models.counting import is_labelled_here, per_row


def active_memberships(user: User) -> QuerySet[Membership]:
    """Return a user's memberships by project name, without deleted projects."""
    return all_memberships(user).filter(project__goes_at=None)


def all_memberships(user: User) -> QuerySet[Membership]:
    """Return a user's memberships by project name, also of projects being deleted."""
    return (
        Membership.objects.filter(user=user, is_active=True)
        .select_related("project")
        .order_by("project__name", "pk")
    )


def with_waiting(memberships: QuerySet[Membership]) -> QuerySet[Membership]:
    """Annotate each membership with its number of assignments (`owed`) and of open ones (`waiting`).

    Imported annotations are not counted.
    """
    held = Assignment.objects.filter(annotator=OuterRef("pk"), position__isnull=False)
    shown = held.filter(is_labelled_here()).exclude(batch__status=Batch.Status.PREPARING)
    own = shown.order_by().values("annotator")
    still_open = Count("pk", filter=Q(status=Assignment.Status.OPEN, batch__status=Batch.Status.OPEN))
    return memberships.annotate(owed=per_row(own, Count("pk")), waiting=per_row(own, still_open))
