"""Job that stores the ready files of an upload, chunk by chunk, each image completely or not at all."""

from __future__ import annotations

from typing import Final

from annotator.database.transactions import write_transaction
from annotator.images.storage import StoreUnavailable
from annotator.models import Event, Job, Upload, UploadedFile
from annotator.uploads.chunks import NotWritten, store_chunk
from annotator.uploads.naming import shown
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
_LEFT: Final = (State.READY, State.UNCLEAR, State.RECEIVED)


def run_storing(job: Job, steps: Steps) -> None:
    """Run a job with the data `upload`: store the READY files, and end the job with the upload's status."""
    upload = take_up(job, Upload.Status.STORING)
    try:
        if not _store_all(upload, job, steps):
            return go_on(upload, job, Upload.Status.STORING)
        _finish(upload, job)
    finally:
        give_back(upload, job, Upload.Status.STORING)


def _store_all(upload: Upload, job: Job, steps: Steps) -> bool:
    """Store ready files until the job's time is up; return whether all are stored."""
    turn = TimeSlice()
    ready = upload.files.filter(state=State.READY)
    left = ready.count()
    total = images_in_all(job, steps, left)
    done = total - left
    with DisplaySender() as sender:
        for files in in_chunks(ready, CHUNK):
            steps(done, total)
            try:
                sender.send(*store_chunk(upload, files))
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
    data = {"upload": str(upload.public_id), "pattern": upload.pattern, "files": found}
    # The bytes are kept while files are left to name, and removed afterwards.
    then = Upload.Status.READY if any(found[state] for state in _LEFT) else Upload.Status.STORED
    with write_transaction():
        ended(job, {"words": f"{words}.", "stored": found[State.STORED]})
        Event.objects.create(project=upload.project, actor=job.requested_by, verb="upload_stored", data=data)
        give_back(upload, job, Upload.Status.STORING, then)
