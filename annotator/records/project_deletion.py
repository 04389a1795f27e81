"""Soft deletion of a project by a lead, which any lead can undo until the project is purged.

A deleted project cannot be opened (`annotator.people.access`) and stores nothing more
(`annotator.annotations.locking`), but all rows and files are kept until `annotator.records.purge`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import checked_reason
from annotator.inputs.refusal import Refusal
from annotator.models import Annotation, Assignment, Batch, Event, Project, User
from annotator.work.jobs import cancel_job
from annotator.work.leases import UNDER_WAY

PROJECT_DELETED: Final = "project_deleted"
PROJECT_TAKEN_BACK: Final = "project_taken_back"


class DeletionRefused(Refusal, ValueError):
    """A deletion, or undoing it, is refused."""


def end_of_grace() -> datetime:
    """Return when the grace period of a deletion made now ends."""
    return timezone.now() + timedelta(days=settings.DELETION_GRACE_DAYS)


def contents_of(project: Project) -> dict[str, int]:
    """Count what is deleted with a project, in four queries."""
    answers = Annotation.objects.filter(assignment__batch__project=project)
    return {
        "images": project.images.count(),
        "assignments": Assignment.objects.filter(batch__project=project).count(),
        "submitted": answers.filter(status=Annotation.Status.SUBMITTED).count(),
        "drafts": answers.exclude(status=Annotation.Status.SUBMITTED).count(),
        "people": project.memberships.count(),
    }


def delete_project(*, project: Project, typed: str, reason: str, actor: User | None) -> Project:
    """Soft-delete a project and return it. Idempotent.

    `typed` is the project's name as typed by the lead. Running jobs are cancelled; concurrent changes of
    annotations are stored before, or refused. Raises DeletionRefused for another name, InvalidReason.
    """
    if " ".join(typed.split()) != " ".join(project.name.split()):
        raise DeletionRefused(
            "The name does not match. Nothing was deleted. Type the project’s name exactly.", "name"
        )
    why = checked_reason(reason)
    with write_transaction():
        Project.locked(project.pk)
        hold_batches(Batch.objects.filter(project=project))
        goes_at = end_of_grace()
        if Project.objects.filter(pk=project.pk, goes_at=None).update(goes_at=goes_at):
            facts = {"name": project.name, "slug": project.slug, **contents_of(project)}
            _record(project, PROJECT_DELETED, actor, reason=why, goes_at=goes_at.isoformat(), **facts)
            for job in project.jobs.filter(status__in=UNDER_WAY):
                cancel_job(job=job, actor=actor)
    project.refresh_from_db()
    return project


def take_back_project(*, project: Project, actor: User | None) -> Project:
    """Undo the deletion of a project and return it. Idempotent.

    Raises DeletionRefused once the grace period is over.
    """
    with write_transaction():
        waiting = Project.objects.filter(pk=project.pk, goes_at__gt=timezone.now())
        if waiting.update(goes_at=None):
            _record(project, PROJECT_TAKEN_BACK, actor, name=project.name)
        elif Project.objects.filter(pk=project.pk, goes_at__isnull=False).exists():
            raise DeletionRefused(
                "The deletion can no longer be undone: the project is being purged.", "too-late"
            )
    project.refresh_from_db()
    return project


def hold_batches(batches: QuerySet[Batch]) -> None:
    """Block changes of annotations in these batches until the transaction ends; see
    `annotator.annotations.locking.read_and_hold`."""
    list(batches.order_by("pk").select_for_update(of=("self",)))


def _record(project: Project, verb: str, actor: User | None, **data: object) -> None:
    Event.objects.create(project=project, actor=actor, verb=verb, data=data)
