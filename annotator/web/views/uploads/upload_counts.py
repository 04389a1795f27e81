"""Counts for the pages of an upload, computed in the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from annotator.models import Image, Project, Upload, UploadedFile

State = UploadedFile.State


@dataclass(frozen=True)
class ReceivedCounts:
    """The files of an upload: complete, partial, and the bytes announced."""

    whole: int
    partial: int
    bytes: int


@dataclass(frozen=True)
class Displays:
    """Display copies of the images of an upload."""

    ready: int
    pending: int
    failed: int

    @property
    def total(self) -> int:
        """Number of images."""
        return self.ready + self.pending + self.failed


def uploads_of(project: Project) -> QuerySet[Upload]:
    """Return a project's uploads, newest first, without discarded ones."""
    return project.uploads.exclude(status=Upload.Status.DISCARDED).select_related("made_by").order_by("-pk")


def received_of(upload: Upload) -> ReceivedCounts:
    """Count the uploaded files; an archive counts as one file."""
    partial = Q(state=State.RECEIVING)
    counted = upload.files.filter(archive=None).aggregate(
        all=Count("pk"), partial=Count("pk", filter=partial), bytes=Sum("size", default=0)
    )
    return ReceivedCounts(counted["all"] - counted["partial"], counted["partial"], counted["bytes"])


def files_of(uploads: list[Upload]) -> dict[int, int]:
    """Return the number of files of each upload, in one query; an archive counts as its entries."""
    rows = UploadedFile.objects.filter(upload__in=uploads).exclude(state=State.ARCHIVE).order_by()
    return dict(rows.values_list("upload").annotate(count=Count("pk")))


def displays_of(upload: Upload) -> Displays:
    """Count the display copies of the images that this upload stored."""
    brought = Image.objects.filter(pk__in=upload.files.filter(state=State.STORED).values("image"))
    rows: Any = brought.order_by().values_list("display_state").annotate(count=Count("pk"))
    found = dict(rows)
    states = Image.DisplayState
    return Displays(*(found.get(state, 0) for state in (states.READY, states.PENDING, states.FAILED)))
