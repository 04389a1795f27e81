"""A bundle that came through the browser, read into its empty project by a worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils import timezone

from analysis.bundles.opened import BundleRefused, counted
from analysis.bundles.restoring import Restored, restore
from annotator.jobs import JobRefused, Steps
from annotator.models import Job, Upload, UploadedFile
from annotator.transactions import write_transaction
from annotator.uploads.receiving import path_of


def restore_upload(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Do a job whose data are `upload`; what is wrong leaves the project empty and the upload as it came."""
    upload = Upload.objects.filter(pk=job.data["upload"], project=job.project).first()
    files = UploadedFile.objects.filter(upload=upload, archive=None)
    file = files.exclude(state=UploadedFile.State.IGNORED).first() if upload else None
    if upload is None or file is None:
        raise JobRefused("The upload is not there any more. Send the bundle again.")
    try:
        made = restore(path_of(file), job.project, actor=job.requested_by, watch=steps)
    except BundleRefused as refused:
        _leave(upload, Upload.Status.READY)
        raise JobRefused(str(refused)) from refused
    except OSError as error:
        _leave(upload, Upload.Status.READY)
        raise JobRefused(f"The pictures could not be stored: {error.strerror or error}.") from error
    except BaseException:
        _leave(upload, Upload.Status.READY)
        raise
    _leave(upload, Upload.Status.STORED)
    return {"url": reverse("project", args=[job.project.slug]), "words": in_words(made)}


def in_words(made: Restored) -> str:
    """Return what was restored, as people read it."""
    counts = f"{counted(made.images, 'image')} and {counted(made.annotations, 'annotation')} are restored."
    return " ".join([counts, *made.remarks])


def _leave(upload: Upload, status: str) -> None:
    with write_transaction():
        Upload.objects.filter(pk=upload.pk).update(status=status, touched_at=timezone.now())
