"""Uploads made of files, as if they had been received, read and stored."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest import mock
from uuid import UUID

from django.core.files.storage import default_storage
from PIL import Image as Picture

from annotator.exchange import annotation_files, child_process, image_rows
from annotator.images import decoding_process, drawing
from annotator.images.decoding_process import Decoder
from annotator.models import Job, Project, Upload, UploadedFile
from annotator.uploads import contents as uploaded
from annotator.uploads import manifests, reading
from annotator.uploads.receiving import begin_upload, receive
from annotator.uploads.upload_jobs import request_naming, request_reading, request_storing
from annotator.work.jobs import run_job
from tests.annotator.exchange.conftest import picture as picture


def folder_of(upload: UUID) -> Path:
    """The folder of an upload on the disk."""
    return Path(default_storage.path(uploaded.folder_of(upload)))


def path_of(file: UploadedFile) -> Path:
    """Where a file's bytes are on the disk."""
    return Path(default_storage.path(uploaded.name_of(file)))


def incoming(upload: Upload, contents: bytes) -> uploaded.ArrivingFile:
    """A file whose bytes have arrived."""
    file = uploaded.ArrivingFile(upload.public_id)
    file.write(contents)
    file.seek(0)
    file.size = len(contents)
    return file


def bring(project: Project, files: Mapping[str, bytes], upload: Upload | None = None) -> Upload:
    """An upload that has received these files."""
    upload = upload or begin_upload(project=project, actor=None)
    for name, contents in files.items():
        receive(upload=upload, name=name, file=incoming(upload, contents))
    return upload


def read(upload: Upload, encoding: str = "") -> Job:
    """Have it read, here and now."""
    return _carried_out(request_reading(upload=upload, actor=None, encoding=encoding, send=False), upload)


def brought(project: Project, files: Mapping[str, bytes]) -> Upload:
    """An upload of these files that a worker has read."""
    upload = bring(project, files)
    assert read(upload).status == "done"
    return upload


def give(upload: Upload, pattern: str = "", **defaults: str) -> Job:
    """Have names read by a pattern, with a generator or prompt for all files, here and now."""
    job = request_naming(upload=upload, pattern=pattern, defaults=defaults, actor=None, send=False)
    return _carried_out(job, upload)


def store(upload: Upload) -> Job:
    """Have it stored, here and now."""
    return _carried_out(request_storing(upload=upload, actor=None, sure=True, send=False), upload)


def _carried_out(job: Job, upload: Upload) -> Job:
    run_job(job.pk)
    job.refresh_from_db()
    upload.refresh_from_db()
    return job


PLACES = (
    *(
        (module, "read_in_child", child_process.read_in_child)
        for module in (manifests, reading, annotation_files, image_rows)
    ),
    (reading, "decoder", drawing.decoder),
)
"""Module, name and value: where a process is started to read a file or a picture."""


@contextmanager
def reading_here() -> Iterator[None]:
    """Read files in this process: one for each file takes longer than what most cases are about."""

    def read(reader: str, path: Path, *, seconds: int = 0, **how: Any) -> Any:
        return child_process._value_of(
            path, child_process._outcome(child_process._readers()[reader], path, how)
        )

    with ExitStack() as patches:
        for module, name, real in PLACES:
            here = decoding_here if real is drawing.decoder else read
            patches.enter_context(mock.patch.object(module, name, here))
        yield


@contextmanager
def decoding_here(max_pixels: int) -> Iterator[Decoder]:
    """A decoder without a process."""
    yield DecodesHere(max_pixels=max_pixels)


class DecodesHere(Decoder):
    """Decodes as its process would."""

    def _asked(self, order: bytes, contents: bytes, seconds: float) -> dict[str, Any]:
        answer, self._returned = decoding_process._carried_out(
            json.loads(order), contents, max_pixels=self._max_pixels
        )
        return answer


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
