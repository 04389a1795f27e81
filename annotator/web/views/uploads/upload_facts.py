"""What the pages of an upload show: counted in the database, never file by file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from annotator.models import Image, Project, Upload, UploadedFile

State = UploadedFile.State


@dataclass(frozen=True)
class Received:
    """What has come so far: whole files, those of which a part is missing, and the bytes announced."""

    whole: int
    partial: int
    bytes: int


@dataclass(frozen=True)
class Displays:
    """Copies for display of the images an upload brought."""

    ready: int
    pending: int
    failed: int

    @property
    def total(self) -> int:
        """How many images were brought."""
        return self.ready + self.pending + self.failed


def uploads_of(project: Project) -> QuerySet[Upload]:
    """Return a project's uploads, the latest first, those discarded left out."""
    return project.uploads.exclude(status=Upload.Status.DISCARDED).select_related("made_by").order_by("-pk")


def received_of(upload: Upload) -> Received:
    """Count what was brought; entries of archives are not counted beside their archive."""
    partial = Q(state=State.RECEIVING)
    counted = upload.files.filter(archive=None).aggregate(
        all=Count("pk"), partial=Count("pk", filter=partial), bytes=Sum("size", default=0)
    )
    return Received(counted["all"] - counted["partial"], counted["partial"], counted["bytes"])


def files_of(uploads: list[Upload]) -> dict[int, int]:
    """Return how many files each of some uploads has, in one query; archives count as what lies in them."""
    rows = UploadedFile.objects.filter(upload__in=uploads).exclude(state=State.ARCHIVE).order_by()
    return dict(rows.values_list("upload").annotate(count=Count("pk")))


def displays_of(upload: Upload) -> Displays:
    """Count the copies for display of the images that this upload stored."""
    brought = Image.objects.filter(pk__in=upload.files.filter(state=State.STORED).values("image"))
    rows: Any = brought.order_by().values_list("display_state").annotate(count=Count("pk"))
    found = dict(rows)
    states = Image.DisplayState
    return Displays(*(found.get(state, 0) for state in (states.READY, states.PENDING, states.FAILED)))
