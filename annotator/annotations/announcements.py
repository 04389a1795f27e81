"""Announcements of leads to all annotators of a batch, and who has read them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from annotator.annotations.questions import QuestionRefused, checked_text
from annotator.database.transactions import write_transaction
from annotator.models import Announcement, Assignment, Batch, Event, Membership, Receipt, User

MOST: Final = 200
"""Announcements in one batch."""
ANNOUNCED: Final = "announced"
WITHDRAWN: Final = "announcement_withdrawn"


def announce(
    *, batch: Batch, author: Membership, actor: User, text: object, request_key: UUID
) -> Announcement:
    """Store an announcement and return it; a repeated key returns the first one.

    Raises InvalidText, QuestionRefused.
    """
    said = checked_text(text)
    with write_transaction():
        if made := batch.announcements.filter(request_key=request_key).first():
            return made
        if batch.announcements.count() >= MOST:
            raise QuestionRefused(f"This batch has {MOST} announcements. That is the limit.", "full")
        try:
            with transaction.atomic():
                made = batch.announcements.create(author=author, text=said, request_key=request_key)
        except IntegrityError:
            # The same request committed first.
            return batch.announcements.get(request_key=request_key)
        _record(made, actor, ANNOUNCED)
    return made


def withdraw(*, announcement: Announcement, actor: User) -> bool:
    """Hide an announcement from annotators; return False if it already was."""
    with write_transaction():
        shown = Announcement.objects.filter(pk=announcement.pk, withdrawn_at=None)
        if not shown.update(withdrawn_at=timezone.now()):
            return False
        _record(announcement, actor, WITHDRAWN)
    return True


def mark_announcement_read(*, announcement: Announcement, reader: Membership) -> bool:
    """Store that a member has read an announcement; return False if it already was."""
    with write_transaction():
        return Receipt.objects.get_or_create(announcement=announcement, reader=reader)[1]


def announcements_of(batch: Batch) -> QuerySet[Announcement]:
    """Return the announcements of a batch, newest first, with author and the number of readers `read_by`."""
    return with_readers(batch.announcements.all()).order_by("-pk")


def with_readers(found: QuerySet[Announcement]) -> QuerySet[Announcement]:
    """Add author and the number of readers `read_by`."""
    return found.select_related("author").annotate(read_by=Count("receipts"))


def announcements_for(annotator: Membership, *, unread: bool = False) -> QuerySet[Announcement]:
    """Return the announcements an annotator sees, or only unread ones, newest first, with `is_read`.

    They are those of the batches in their queue: an annotator who joins later sees the earlier ones.
    """
    own = Assignment.objects.filter(
        annotator=annotator, batch=OuterRef("batch"), position__isnull=False
    ).exclude(batch__status=Batch.Status.PREPARING)
    read = Receipt.objects.filter(announcement=OuterRef("pk"), reader=annotator)
    shown = Announcement.objects.filter(Exists(own), batch__project=annotator.project_id, withdrawn_at=None)
    found = shown.annotate(is_read=Exists(read)).select_related("batch").order_by("-pk")
    return found.filter(is_read=False) if unread else found


def _record(announcement: Announcement, actor: User, verb: str) -> None:
    batch = announcement.batch
    data = {"announcement": announcement.pk, "batch": batch.pk, "name": batch.name}
    Event.objects.create(project_id=batch.project_id, actor=actor, verb=verb, data=data)
