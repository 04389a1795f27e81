"""Uploads by command, from a folder or a file that the server can read. Pages never name one.

The files are read in place: their places in the upload are links, or copies in an object store.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from annotator.database.transactions import write_transaction
from annotator.exchange.formats.names import LONGEST_NAME, fault_of, printable
from annotator.models import Job, Project, Upload, UploadedFile, User
from annotator.uploads.contents import folder_of, link, name_of, remove_folder
from annotator.uploads.naming import problem
from annotator.uploads.receiving import FROM_SERVER, UploadRefused, row_of
from annotator.uploads.upload_jobs import request_reading, request_storing
from annotator.work.jobs import cancel_job, run_job

_CHUNK: Final = 500
State: Final = UploadedFile.State


def upload_from(
    *, project: Project, source: str, pattern: str, choices: dict[str, Any], below: str = ""
) -> Upload:
    """Return an upload with a row per file of a folder, or of one file; `below` begins all names.

    Raises UploadRefused, keeping nothing.
    """
    root = Path(source).absolute()
    choices = {**choices, FROM_SERVER: True}
    upload = Upload.objects.create(project=project, pattern=pattern, choices=choices)
    try:
        if not _take_all(upload, root, below):
            raise UploadRefused(f"There are no files in {source}.")
    except OSError as error:
        close(upload)
        raise UploadRefused(f"{error.filename} cannot be read: {error.strerror}.") from error
    except UploadRefused:
        close(upload)
        raise
    return upload


def close(upload: Upload) -> None:
    """Delete an upload without stored files, from its last file to its first, and its folder of links."""
    while pks := list(upload.files.order_by("-pk").values_list("pk", flat=True)[:_CHUNK]):
        with write_transaction():
            upload.files.filter(pk__in=pks).delete()
    upload.delete()
    with suppress(OSError):
        remove_folder(folder_of(upload.public_id))


def read_now(upload: Upload, actor: User | None = None) -> None:
    """Read an upload in this process. Raises UploadRefused with the reason if its job fails."""
    _carry_out(request_reading(upload=upload, actor=actor, send=False))
    upload.refresh_from_db()


def store_now(upload: Upload, actor: User | None = None) -> None:
    """Store the ready files of an upload in this process. Raises as `read_now`."""
    _carry_out(request_storing(upload=upload, actor=actor, sure=True, send=False))


def _carry_out(job: Job) -> None:
    try:
        run_job(job.pk)
    except BaseException:
        # Interrupted: no worker may continue it.
        cancel_job(job=job, actor=None)
        raise
    job.refresh_from_db()
    if job.status != Job.Status.DONE:
        raise UploadRefused(job.error or "The job was cancelled.")


def _take_all(upload: Upload, root: Path, below: str) -> int:
    taken = 0
    paths = _files_below(root)
    while chunk := list(islice(paths, _CHUNK)):
        taken += len(chunk)
        if taken > settings.MAX_UPLOAD_FILES:
            raise UploadRefused(f"More than {settings.MAX_UPLOAD_FILES:,} files. Import them in parts.")
        rows = [_linked(upload, f"{below}{name}", path) for name, path in chunk]
        with write_transaction():
            UploadedFile.objects.bulk_create(rows, ignore_conflicts=True)
    return taken


def _linked(upload: Upload, name: str, path: Path) -> UploadedFile:
    if fault := fault_of(name):
        shown = printable(name)[-LONGEST_NAME:]
        words = problem(f"Ignored: {fault}.")
        return UploadedFile(upload=upload, name=shown, size=0, state=State.REFUSED, problem=words)
    with path.open("rb") as file:
        start = file.read(4)
    row = row_of(upload, name, path.stat().st_size, start)
    if row.state == State.RECEIVED:
        link(path, name_of(row))
    return row


def _files_below(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield names and real paths, sorted, without hidden files and links that lead out of the folder."""
    if root.is_file():
        yield root.name, root.resolve()
        return
    inside = root.resolve(strict=True)
    for place, folders, names in os.walk(inside, onerror=_raise):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            real = path.resolve()
            if not name.startswith(".") and real.is_file() and real.is_relative_to(inside):
                yield path.relative_to(inside).as_posix(), real


def _raise(error: OSError) -> None:
    raise error
