"""Purge deleted projects after the grace period: files, then rows, never Events.

`config.limits` sets its length.

Rows record what to purge, so a sweep can be interrupted and repeated, and runs for a limited time. A file is
removed before its row: while the row exists, the same image cannot be uploaded again, and its missing file is
hidden.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Any, Final

from django.core.files.storage import default_storage
from django.db.models import CASCADE, Model, Q, QuerySet
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.faces.blurring import copies_of
from annotator.models import (
    Annotation,
    Assignment,
    Event,
    Image,
    NormingSession,
    Project,
    Question,
    UploadedFile,
)
from annotator.records.project_deletion import contents_of

PROJECT_REMOVING: Final = "project_removal_begun"
PROJECT_REMOVED: Final = "project_removed"
SECONDS: Final = 60.0
"""Duration of one sweep; the next one continues."""

# A margin for leads who undo a deletion at the last moment by a slow clock.
_LATE: Final = timedelta(minutes=10)
_CHUNK: Final = 500

log = logging.getLogger(__name__)


class OutOfTime(Exception):
    """The time of the sweep is over."""


def remove_deleted(now: datetime | None = None, seconds: float = SECONDS) -> int:
    """Purge projects after their grace period; return how many."""
    due, until = (now or timezone.now()) - _LATE, time.monotonic() + seconds
    projects = 0
    try:
        for project in Project.objects.filter(goes_at__lte=due).order_by("pk"):
            _remove_project(project, until)
            projects += 1
    except OutOfTime:
        log.info("The next sweep continues the purge.")
    return projects


def _remove_project(project: Project, until: float) -> None:
    """Purge a project in pieces, the project row last, so that the next sweep finds it."""
    begun = _begin(project)
    answers = Annotation.objects.filter(assignment__batch__project=project)
    images = Image.objects.filter(project=project)
    # Threads and discussions before the members who wrote them.
    _in_pieces(Question.objects.filter(project=project), until)
    _in_pieces(NormingSession.objects.filter(project=project), until)
    _in_pieces(answers, until)
    _in_pieces(Assignment.objects.filter(batch__project=project), until)
    while pks := list(images.order_by("pk").values_list("pk", flat=True)[:_CHUNK]):
        _check_time(until)
        chunk = Image.objects.filter(pk__in=pks)
        if not remove_files(chunk):
            raise OutOfTime
        with write_transaction():
            chunk.delete()
    # Entries of archives before the archives.
    _in_pieces(UploadedFile.objects.filter(upload__project=project), until, backwards=True)
    for relation in Project._meta.related_objects:
        if relation.on_delete is CASCADE:
            model: Any = relation.related_model
            _in_pieces(model._base_manager.filter(**{relation.field.name: project}), until)
    with write_transaction():
        if Project.objects.filter(pk=project.pk).delete()[0]:
            Event.objects.create(project_id=project.pk, verb=PROJECT_REMOVED, data=begun)


def _begin(project: Project) -> dict[str, Any]:
    """Count once what is to be purged: a later sweep would count only the rest."""
    begun = Event.objects.filter(project=project, verb=PROJECT_REMOVING)
    # A deletion can be undone and repeated, but not after this is written.
    facts: dict[str, Any] | None = begun.order_by("-pk").values_list("data", flat=True).first()
    if facts is None:
        facts = {"name": project.name, "slug": project.slug, **contents_of(project)}
        with write_transaction():
            Event.objects.create(project=project, verb=PROJECT_REMOVING, data=facts)
    return facts


def remove_files(images: QuerySet[Image]) -> bool:
    """Remove files of images not shared by other images; return False if one could not be removed."""
    pks = [image.pk for image in images]
    for image in images:
        for name in _names(image):
            others = Image.objects.filter(Q(file=name) | Q(display=_display(name))).exclude(pk__in=pks)
            if others.exists():
                continue
            try:
                default_storage.delete(name)
            except OSError as error:
                log.warning("The file %s could not be removed: %s.", name, error.strerror or error)
                return False
    return True


def _names(image: Image) -> Iterable[str]:
    file, display = image.file.name or "", image.display.name or ""
    yield from filter(None, (file, display))
    if display:
        yield str(PurePosixPath(display).with_suffix(".jpg"))
    for decision in image.face_decisions.all():
        yield from copies_of(decision)


def _display(name: str) -> str:
    """Return the display copy that a file belongs to: its JPEG is in no row."""
    return str(PurePosixPath(name).with_suffix(".webp")) if name.endswith(".jpg") else name


def _in_pieces(rows: QuerySet[Any], until: float, *, backwards: bool = False) -> None:
    model: type[Model] = rows.model
    while pks := list(rows.order_by("-pk" if backwards else "pk").values_list("pk", flat=True)[:_CHUNK]):
        _check_time(until)
        with write_transaction():
            model._base_manager.filter(pk__in=pks).delete()


def _check_time(until: float) -> None:
    if time.monotonic() > until:
        raise OutOfTime
