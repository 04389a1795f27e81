"""Retention of identifying data, and its nightly deletion.

Annotations are kept under codes. Deleted are the link from a code to an account, ids of panels, and records
of sign-in attempts, after periods of `config.limits`. Events are kept: they refer to accounts by number.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import Event, Membership, Project
from annotator.people.panels import forget_panel_ids

UNLINKED: Final = "person_unlinked"
LEFT: Final = ("person_deactivated", "account_deleted")
"""Verbs of Events that may record when a member left."""


def carry_out(now: datetime | None = None) -> None:
    """Delete expired data; an Event says who was unlinked. Can be interrupted and repeated."""
    moment = now or timezone.now()
    if days := settings.PERSONAL_DATA_DAYS:
        for project in Project.objects.filter(goes_at=None).order_by("pk"):
            unlink_who_left(project, days, moment)
    _remove_sign_ins(moment)


def unlink_who_left(project: Project, days: int, now: datetime) -> int:
    """Unlink members who left this many days ago from their accounts; return how many.

    Their annotations stay under their codes, which an invitation can still assign to a new member.
    """
    unlinked = 0
    gone = project.memberships.filter(is_active=False, user__isnull=False)
    for member in gone.order_by("pk"):
        since = _left_at(member)
        if since is None or since > now - timedelta(days=days):
            continue
        with write_transaction():
            Project.locked(project.pk)
            if Membership.objects.filter(pk=member.pk, is_active=False).update(user=None):
                forget_panel_ids(Membership.objects.filter(pk=member.pk))
                data = {"membership": member.pk, "code": member.code, "days": days}
                Event.objects.create(project=project, verb=UNLINKED, data=data)
                unlinked += 1
    return unlinked


def _left_at(member: Membership) -> datetime | None:
    """Return when a member left; None if unknown, in which case nothing is deleted."""
    acts = Event.objects.filter(project=member.project_id, verb__in=LEFT, data__membership=member.pk)
    last: datetime | None = acts.order_by("-pk").values_list("created_at", flat=True).first()
    return last


def _remove_sign_ins(now: datetime) -> None:
    """Delete expired sessions and old records of sign-in attempts."""
    SessionStore.clear_expired()
    before = now - timedelta(days=settings.SIGN_IN_RECORDS_DAYS)
    AccessAttempt.objects.filter(attempt_time__lt=before).delete()
