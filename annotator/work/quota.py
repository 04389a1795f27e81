"""Quotas per account: waiting files, files per minute, and bytes kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import BigIntegerField, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.utils import timezone

from annotator.models import Job, User
from annotator.work.jobs import JobRefused
from annotator.work.kinds import kinds_that_read_files
from annotator.work.leases import UNDER_WAY

KEPT: Final = timedelta(days=30)
"""Retention of a file of annotations."""
_MINUTE: Final = timedelta(minutes=1)


class QuotaRefused(JobRefused):
    """A quota is exceeded; `code` is too_many_waiting, too_fast or too_much_kept."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words, code)


def require_turn(actor: User | None) -> None:
    """Raise QuotaRefused if an account has too many waiting files. Commands have no limit."""
    if actor is None:
        return
    waiting = Job.objects.filter(
        requested_by=actor, kind__in=kinds_that_read_files(), status__in=UNDER_WAY
    ).count()
    if waiting >= settings.FILES_WAITING:
        raise QuotaRefused(
            "too_many_waiting",
            f"{waiting:,} of your files are waiting, which is the limit. Wait until some are processed, "
            "or cancel those you no longer need, then upload this one again.",
        )


def require_room_for(actor: User | None, size: int, kinds: tuple[str, ...]) -> None:
    """Raise QuotaRefused if an account may not upload a file of `size` bytes now.

    Inside the transaction that stores the job, this locks the account's row, so that concurrent files are
    counted one after the other. `kinds` are the jobs whose files are kept, with `bytes` in their data.
    """
    if actor is None:
        return
    User.objects.select_for_update(no_key=True).only("pk").get(pk=actor.pk)
    require_turn(actor)
    brought = Job.objects.filter(requested_by=actor, kind__in=kinds).order_by()
    if brought.filter(created_at__gt=timezone.now() - _MINUTE).count() >= settings.FILES_A_MINUTE:
        raise QuotaRefused(
            "too_fast",
            f"You have uploaded {settings.FILES_A_MINUTE:,} files within a minute. Wait a minute, then "
            "upload this one again.",
        )
    length = Cast(KeyTextTransform("bytes", "data"), BigIntegerField())
    recent = brought.filter(created_at__gt=timezone.now() - KEPT)
    kept = recent.aggregate(kept=Sum(length, default=0))["kept"]
    if kept + size > settings.FILES_KEPT_BYTES:
        raise QuotaRefused(
            "too_much_kept",
            f"Your files of the last {KEPT.days} days have {kept:,} bytes, with this one {kept + size:,}; "
            f"the limit is {settings.FILES_KEPT_BYTES:,}. Upload it when older ones have expired, or "
            "ask the administrator of the server to raise the limit (FILES_KEPT_BYTES).",
        )
