"""Uploads made of files, as if they had been received, read and stored."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from PIL import Image as Picture

from annotator.jobs import run_job
from annotator.models import Job, Project, Upload, UploadedFile
from annotator.uploads.jobs import request_reading, request_storing
from annotator.uploads.receiving import append, begin_upload, place_file
from tests.annotator.imports.conftest import picture

__all__ = ["bring", "named", "picture", "read", "row", "states", "store", "zipped"]


def bring(project: Project, files: Mapping[str, bytes], upload: Upload | None = None) -> Upload:
    """An upload that has received these files."""
    upload = upload or begin_upload(project=project, actor=None)
    for name, contents in files.items():
        file = place_file(upload=upload, name=name, size=len(contents))
        if contents:
            append(file=file, offset=0, stream=BytesIO(contents), length=len(contents))
    return upload


def read(upload: Upload) -> Job:
    """Have it read, here and now."""
    return _carried_out(request_reading(upload=upload, actor=None, send=False), upload)


def store(upload: Upload) -> Job:
    """Have it stored, here and now."""
    return _carried_out(request_storing(upload=upload, actor=None, send=False), upload)


def _carried_out(job: Job, upload: Upload) -> Job:
    run_job(job.pk)
    job.refresh_from_db()
    upload.refresh_from_db()
    return job


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An ordinary archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in files.items():
            archive.writestr(name, contents)
    return buffer.getvalue()


def row(upload: Upload, name: str) -> UploadedFile:
    """The one file of this name."""
    return upload.files.get(name=name)


def states(upload: Upload) -> dict[str, str]:
    """The state of each file by name."""
    return dict(upload.files.values_list("name", "state"))


def named(upload: Upload, name: str) -> tuple[str, str, str, int | None]:
    """Generator, prompt, group and number of a file."""
    file = row(upload, name)
    return file.generator, file.prompt, file.prompt_group, file.number


def encoded(image: Picture.Image, kind: str = "PNG", **options: Any) -> bytes:
    """A picture as a file."""
    buffer = BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()
