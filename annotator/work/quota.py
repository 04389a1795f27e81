"""How much one person may bring: files that wait, files a minute, and bytes that are kept for a while."""

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
"""How long a file of annotations is kept."""
_MINUTE: Final = timedelta(minutes=1)


class QuotaRefused(JobRefused):
    """A person has brought as much as one may; `code` is too_many_waiting, too_fast or too_much_kept."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words, code)


def require_turn(actor: User | None) -> None:
    """Raise QuotaRefused where as many files of a person's wait to be read as may. Commands have no limit."""
    if actor is None:
        return
    waiting = Job.objects.filter(
        requested_by=actor, kind__in=kinds_that_read_files(), status__in=UNDER_WAY
    ).count()
    if waiting >= settings.FILES_WAITING:
        raise QuotaRefused(
            "too_many_waiting",
            f"{waiting:,} of your files wait to be read, and no more may. Wait until some have been read, "
            "or cancel those that you no longer need; then bring this one again.",
        )


def require_room_for(actor: User | None, size: int, kinds: tuple[str, ...]) -> None:
    """Raise QuotaRefused where a person cannot bring a file of `size` bytes now.

    Inside a transaction that goes on to store the job, it holds the person's row: two files that come at
    once are counted one after the other. `kinds` are the jobs whose files are kept, `bytes` in their data.
    """
    if actor is None:
        return
    User.objects.select_for_update(no_key=True).only("pk").get(pk=actor.pk)
    require_turn(actor)
    brought = Job.objects.filter(requested_by=actor, kind__in=kinds).order_by()
    if brought.filter(created_at__gt=timezone.now() - _MINUTE).count() >= settings.FILES_A_MINUTE:
        raise QuotaRefused(
            "too_fast",
            f"You have brought {settings.FILES_A_MINUTE:,} files within a minute. Wait a minute, then bring "
            "this one again.",
        )
    length = Cast(KeyTextTransform("bytes", "data"), BigIntegerField())
    recent = brought.filter(created_at__gt=timezone.now() - KEPT)
    kept = recent.aggregate(kept=Sum(length, default=0))["kept"]
    if kept + size > settings.FILES_KEPT_BYTES:
        raise QuotaRefused(
            "too_much_kept",
            f"Your files of the last {KEPT.days} days have {kept:,} bytes, with this one {kept + size:,}; "
            f"{settings.FILES_KEPT_BYTES:,} are kept for one person. Bring it when older ones are gone, or "
            "ask whoever runs the server for more room (FILES_KEPT_BYTES).",
        )
