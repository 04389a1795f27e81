"""Job that stores the ready files of an upload, chunk by chunk, each image completely or not at all."""

from __future__ import annotations

from typing import Final

from django.conf import settings

from annotator.database.transactions import write_transaction
from annotator.images.decoding_process import Decoder
from annotator.images.storage import StoreUnavailable
from annotator.models import Event, Job, Upload, UploadedFile
from annotator.uploads.chunks import NotWritten, Reader, store_chunk
from annotator.uploads.names.explicit import shown
from annotator.uploads.sources.contents import UploadContents
from annotator.uploads.sources.sources import SourceRefused
from annotator.uploads.status import (
    TimeSlice,
    counts,
    ended,
    give_back,
    go_on,
    images_in_all,
    in_chunks,
    take_up,
)
from annotator.work.jobs import JobRefused, Steps
from annotator.work.sending import DisplaySender

State: Final = UploadedFile.State
CHUNK: Final = 64
"""Files whose rows are stored together: a worker that is killed leaves at most as many files without rows."""
# What a lead may still store.
_LEFT: Final = (State.READY, State.UNCLEAR, State.LARGE, State.RECEIVED)


def run_storing(job: Job, steps: Steps) -> None:
    """Run a job with the data `upload`: store the READY files, and end the job with the upload's status."""
    upload = take_up(job, Upload.Status.STORING)
    try:
        with UploadContents(upload) as contents:
            if not _store_all(upload, job, contents, steps):
                return go_on(upload, job, Upload.Status.STORING)
        _finish(upload, job)
    except SourceRefused as refused:
        raise JobRefused(str(refused)) from refused
    finally:
        give_back(upload, job, Upload.Status.STORING)


def _store_all(upload: Upload, job: Job, contents: UploadContents, steps: Steps) -> bool:
    """Store ready files until the job's time is up; return whether all are stored."""
    turn = TimeSlice()
    ready = upload.files.filter(state=State.READY)
    left = ready.count()
    total = images_in_all(job, steps, left)
    done = total - left
    # Its process starts with the first image that is scaled down.
    with Decoder(max_pixels=settings.MAX_IMAGE_PIXELS) as decoder, DisplaySender() as sender:
        reader = Reader(contents, decoder)
        for files in in_chunks(ready.select_related("archive"), CHUNK):
            steps(done, total)
            try:
                sender.send(*store_chunk(upload, files, reader))
            except NotWritten as refused:
                sender.send(*refused.stored)
                # All further files would meet the same full disk.
                stored = upload.files.filter(state=State.STORED).count()
                first = "" if isinstance(refused.error, StoreUnavailable) else "free some space, then "
                raise JobRefused(
                    f"{shown(refused.name)} could not be stored ({refused.error.strerror or refused.error}). "
                    f"{stored:,} images of this upload are stored; {first}store again to resume."
                ) from refused
            done += len(files)
            if turn.is_over:
                return False
    return True


def _finish(upload: Upload, job: Job) -> None:
    """Record what is stored and end the job, all or nothing: a retry would record it again."""
    found = counts(upload)
    words = f"{found[State.STORED]:,} images stored"
    if left := found[State.UNCLEAR]:
        words += f"; {left:,} still unclear"
    if large := found[State.LARGE]:
        words += f"; {large:,} too large"
    data = {"upload": str(upload.public_id), "pattern": upload.pattern, "files": found}
    # The bytes are kept while files are left to correct or to scale down, and removed afterwards.
    then = Upload.Status.READY if any(found[state] for state in _LEFT) else Upload.Status.STORED
    with write_transaction():
        ended(job, {"words": f"{words}.", "stored": found[State.STORED]})
        Event.objects.create(project=upload.project, actor=job.requested_by, verb="upload_stored", data=data)
        give_back(upload, job, Upload.Status.STORING, then)
