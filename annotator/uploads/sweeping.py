"""Remove uploaded data that is no longer needed.

Rows determine what is needed: uploads that are open, being read or being stored. All else is removed, in
steps that can be interrupted and repeated.
"""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.core.files.storage import default_storage
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.exchange.import_jobs import ANSWERS_FOLDER
from annotator.models import Job, Upload, UploadedFile
from annotator.uploads.contents import FOLDER, folder_of, listed, remove_folder
from annotator.uploads.receiving import KEPT, close_upload
from annotator.work.leases import UNDER_WAY

log = logging.getLogger(__name__)
_NEEDED: Final = (
    Upload.Status.RECEIVING,
    Upload.Status.READING,
    Upload.Status.READY,
    Upload.Status.STORING,
)
_ANSWERS_KEPT: Final = timedelta(days=30)
_CHUNK: Final = 500
# Only files that we created are removed.
_OURS: Final = re.compile(r"[0-9a-f]{32}")


def sweep_uploads() -> None:
    """Discard uploads inactive for a week; remove bytes and rows of closed ones, and orphans."""
    _discard_forgotten()
    for name in filter(_OURS.fullmatch, listed(FOLDER)[0]):
        try:
            _sweep_folder(UUID(name))
        except OSError as error:
            log.warning("The uploaded files in %s stay for now: %s.", name, error.strerror or error)
    _remove_rows()


def sweep_annotation_files() -> int:
    """Remove imported files of annotations after a month if no job needs them; return how many."""
    removed, before = 0, timezone.now() - _ANSWERS_KEPT
    needed = set(Job.objects.filter(status__in=UNDER_WAY).values_list("data__file", flat=True))
    for project in listed(ANSWERS_FOLDER)[0]:
        folder = f"{ANSWERS_FOLDER}/{project}"
        for name in (f"{folder}/{file}" for file in listed(folder)[1]):
            if name not in needed and default_storage.get_modified_time(name) < before:
                default_storage.delete(name)
                removed += 1
    return removed


def _discard_forgotten() -> None:
    before = timezone.now() - KEPT
    forgotten = Upload.objects.filter(status__in=_NEEDED, touched_at__lt=before)
    idle = forgotten.exclude(job__isnull=False, job__status__in=UNDER_WAY)
    for upload in idle.order_by("pk").iterator():
        close_upload(upload.pk, actor=None, untouched_since=before)


def _sweep_folder(upload: UUID) -> None:
    """Remove the folder of an upload that is over; files without a row go with it."""
    if not Upload.objects.filter(public_id=upload, status__in=_NEEDED).exists():
        remove_folder(folder_of(upload))


def _remove_rows() -> None:
    """Remove the file rows of discarded uploads; the Event has their number."""
    # Entries follow their archives: deleting from the end avoids cascades of thousands.
    rows = UploadedFile.objects.filter(upload__status=Upload.Status.DISCARDED).order_by("-pk")
    while chunk := list(rows.values_list("pk", flat=True)[:_CHUNK]):
        with write_transaction():
            UploadedFile.objects.filter(pk__in=chunk).delete()
