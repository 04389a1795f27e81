"""Quotas per account: waiting files and exports, and refused contents kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Sum, TextField
from django.db.models.functions import Cast, Length
from django.utils import timezone

from annotator.models import Event, Job, User
from annotator.work.jobs import JobRefused
from annotator.work.kinds import kinds_that_read_files
from annotator.work.leases import UNDER_WAY

KEPT: Final = timedelta(days=30)
"""Retention of a file of annotations."""
_DAY: Final = timedelta(days=1)
REFUSED: Final = "refused"
"""Verb of Events that keep the contents of a refused save."""


class QuotaRefused(JobRefused):
    """A quota is exceeded."""


def require_turn(actor: User | None, *, storing: bool = False) -> None:
    """Raise QuotaRefused if an account has too many waiting files. Commands have no limit.

    `storing`: in the transaction that stores the job; it locks the account's row, so that concurrent files
    are counted one after the other.
    """
    if actor is None:
        return
    if storing:
        _lock(actor)
    waiting = _waiting(actor, kinds_that_read_files())
    if waiting >= settings.FILES_WAITING:
        raise QuotaRefused(
            f"{waiting:,} of your files are waiting, which is the limit. Wait until some are processed, "
            "or cancel those you no longer need, then upload this one again.",
            "too_many_waiting",
        )


def require_turn_to_export(actor: User | None, kind: str, request_key: UUID | None) -> None:
    """Raise QuotaRefused if an account has too many jobs of a kind under way; a repeated request passes.

    Inside the transaction that stores the job, this locks the account's row.
    """
    if actor is None or (request_key and Job.objects.filter(request_key=request_key).exists()):
        return
    _lock(actor)
    waiting = _waiting(actor, [kind])
    if waiting >= settings.EXPORTS_WAITING:
        raise QuotaRefused(
            f"{waiting:,} files that you requested are not ready yet, which is the limit. Wait until some "
            "are ready, or cancel those you no longer need, then request this one again.",
            "too_many_waiting",
        )


def _waiting(actor: User, kinds: Sequence[str]) -> int:
    return Job.objects.filter(requested_by=actor, kind__in=kinds, status__in=UNDER_WAY).count()


def may_keep_refused(project_id: int, actor: User, size: int) -> bool:
    """Return whether the log may keep `size` more bytes of refused contents of an account today.

    Inside the transaction that stores them, this locks the account's row.
    """
    _lock(actor)
    today = Event.objects.filter(
        project=project_id, verb=REFUSED, actor=actor, created_at__gt=timezone.now() - _DAY
    ).order_by()
    kept = today.aggregate(number=Count("pk"), bytes=Sum(Length(Cast("data", TextField())), default=0))
    within: bool = (
        kept["number"] < settings.REFUSED_KEPT and kept["bytes"] + size <= settings.REFUSED_KEPT_BYTES
    )
    return within


def _lock(actor: User) -> None:
    """Let the changes of an account that a quota counts follow each other, until the transaction ends."""
    User.objects.select_for_update(no_key=True).only("pk").get(pk=actor.pk)
