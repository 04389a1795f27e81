"""Remove uploaded data that is no longer needed.

Rows determine what is needed: uploads that are open, being read or being stored. All else is removed, in
steps that can be interrupted and repeated.
"""

from __future__ import annotations

import logging
import re
import shutil
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.files.storage import default_storage
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.exchange.import_jobs import ANSWERS_FOLDER
from annotator.models import Job, Upload, UploadedFile
from annotator.uploads.receiving import KEPT, close_upload
from annotator.work.quota import KEPT as ANSWERS_KEPT

log = logging.getLogger(__name__)
_NEEDED: Final = (
    Upload.Status.RECEIVING,
    Upload.Status.READING,
    Upload.Status.READY,
    Upload.Status.STORING,
)
_UNDER_WAY: Final = (Job.Status.QUEUED, Job.Status.RUNNING)
# The row of a young file may not be committed yet.
_YOUNG_SECONDS: Final = 60 * 60
_CHUNK: Final = 500
# Only files that we created are removed, whatever folder the settings name.
_OURS: Final = re.compile(r"[0-9a-f]{32}")


def sweep_uploads() -> None:
    """Discard uploads inactive for a week; remove bytes and rows of closed ones, and orphans."""
    _discard_forgotten()
    for folder in _folders(Path(settings.UPLOAD_DIR)):
        try:
            _sweep_folder(folder)
        except OSError as error:
            log.warning("The uploaded files in %s stay for now: %s.", folder, error.strerror or error)
    _remove_rows()


def sweep_annotation_files() -> int:
    """Remove imported files of annotations after a month if no job needs them; return how many."""
    removed, before = 0, timezone.now() - ANSWERS_KEPT
    needed = set(Job.objects.filter(status__in=_UNDER_WAY).values_list("data__file", flat=True))
    for project in _listed(ANSWERS_FOLDER)[0]:
        folder = f"{ANSWERS_FOLDER}/{project}"
        for name in (f"{folder}/{file}" for file in _listed(folder)[1]):
            if name not in needed and default_storage.get_modified_time(name) < before:
                default_storage.delete(name)
                removed += 1
    return removed


def _discard_forgotten() -> None:
    before = timezone.now() - KEPT
    forgotten = Upload.objects.filter(status__in=_NEEDED, touched_at__lt=before)
    idle = forgotten.exclude(job__isnull=False, job__status__in=_UNDER_WAY)
    for upload in idle.order_by("pk").iterator():
        close_upload(upload.pk, actor=None, untouched_since=before)


def _sweep_folder(folder: Path) -> None:
    """Remove from one upload's folder what no open upload needs."""
    status = Upload.objects.filter(public_id=UUID(folder.name)).values_list("status", flat=True).first()
    if status is None and _is_young(folder):
        return
    if status not in _NEEDED:
        shutil.rmtree(folder)
        return
    old = (path for part in folder.iterdir() for path in part.iterdir() if not _is_young(path))
    for paths in _in_chunks(old):
        there = UploadedFile.objects.filter(public_id__in=[UUID(path.name) for path in paths])
        known = {public_id.hex for public_id in there.values_list("public_id", flat=True)}
        for path in paths:
            if path.name not in known:
                path.unlink(missing_ok=True)


def _remove_rows() -> None:
    """Remove the file rows of discarded uploads; the Event has their number."""
    # Entries follow their archives: deleting from the end avoids cascades of thousands.
    rows = UploadedFile.objects.filter(upload__status=Upload.Status.DISCARDED).order_by("-pk")
    while chunk := list(rows.values_list("pk", flat=True)[:_CHUNK]):
        with write_transaction():
            UploadedFile.objects.filter(pk__in=chunk).delete()


def _folders(place: Path) -> Iterator[Path]:
    for path in place.iterdir() if place.is_dir() else ():
        if _OURS.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            yield path


def _in_chunks(paths: Iterator[Path]) -> Iterator[list[Path]]:
    ours = (path for path in paths if _OURS.fullmatch(path.name))
    while chunk := list(islice(ours, _CHUNK)):
        yield chunk


def _is_young(path: Path) -> bool:
    try:
        return path.stat().st_mtime > time.time() - _YOUNG_SECONDS
    except FileNotFoundError:
        return True


def _listed(folder: str) -> tuple[list[str], list[str]]:
    """Return folders and files in the default storage; none if the folder is missing."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return [], []
    return list(folders), list(files)
