"""Store originals of images, and create their display copies."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage

from annotator.database.transactions import write_transaction
from annotator.images.decoding import (
    EXHAUSTS,
    SUFFIXES,
    DecodedImage,
    DecoderUnavailable,
    UnreadableImage,
    decode_contents,
    read_limited,
)
from annotator.images.drawing import draw_display, draw_jpeg
from annotator.images.storage import FilesTogether, save_whole
from annotator.models import Image, Project, UploadedFile
from annotator.models.images import composed_id

_LONGEST_ERROR = 400
_AT_ONCE: Final = max(1, min(4, (os.cpu_count() or 1) // 2))
"""Images that one process draws at the same time, each in a process. Two worker processes draw."""


def store_image(*, project: Project, contents: bytes, source_name: str, **fields: Any) -> Image:
    """Store an original of our own and then its row, so that a row never names a partial file.

    `fields`: generator, prompt, prompt_group, number, attributes. Raises IntegrityError if the content, or
    the number within generator and prompt, is already in the project; OSError if the file cannot be written.
    """
    decoded = decode_contents(contents, max_pixels=settings.MAX_IMAGE_PIXELS)
    image = image_row(project, decoded, source_name=source_name, **fields)
    save_whole(image.file.name or "", contents)
    with write_transaction():
        image.save(force_insert=True)
    return image


def image_row(
    project: Project, decoded: DecodedImage | UploadedFile, *, source_name: str, **fields: Any
) -> Image:
    """Return the row, not saved, of an image whose file is named by its content; `fields` as above."""
    digest = decoded.sha256
    return Image(
        project=project,
        unique_id=composed_id(fields["generator"], fields["prompt"], fields.get("number"), source_name),
        file=f"originals/{project.pk}/{digest[:2]}/{digest}.{SUFFIXES[decoded.format]}",
        source_name=source_name,
        **{name: getattr(decoded, name) for name in DecodedImage.__dataclass_fields__},
        **fields,
    )


def make_displays(image_ids: Collection[int], *, hurried: bool = False) -> None:
    """Create the missing display copies of images. Idempotent and safe to run concurrently.

    An unreadable image sets its row to failed, with the reason. A temporary OSError (disk full) or
    DecoderUnavailable leaves an image pending and is raised after the others are stored. Images that no
    longer exist are ignored. `hurried` as in `annotator.images.drawing`.
    """
    images = [image for image in Image.objects.filter(pk__in=image_ids) if not _display_is_there(image)]
    with FilesTogether() as files, ThreadPoolExecutor(_AT_ONCE) as threads:
        outcomes = list(threads.map(partial(_draw, files, hurried), images))
    for image, outcome in zip(images, outcomes, strict=True):
        if outcome is None:
            image.display, image.display_error = _display_name(image), ""
            image.display_state = Image.DisplayState.READY
        elif isinstance(outcome, UnreadableImage):
            image.display_error = outcome.reason[:_LONGEST_ERROR]
            image.display_state = Image.DisplayState.FAILED
    with write_transaction():
        Image.objects.bulk_update(images, ["display", "display_state", "display_error"])
    for outcome in outcomes:
        if outcome is not None and not isinstance(outcome, UnreadableImage):
            raise outcome


def _draw(files: FilesTogether, hurried: bool, image: Image) -> Exception | None:
    """Draw and store one display copy; return the reason if there is none."""
    try:
        drawn = draw_display(
            original_of(image),
            max_pixels=settings.MAX_IMAGE_PIXELS,
            max_side=settings.DISPLAY_MAX_SIDE,
            hurried=hurried,
        )
        files.save(_display_name(image), drawn)
    except (UnreadableImage, DecoderUnavailable, OSError, MemoryError) as error:
        return error
    return None


def _display_name(image: Image) -> str:
    return f"display/{image.project_id}/{image.sha256[:2]}/{image.sha256}.webp"


def open_display(image: Image) -> File[bytes]:
    """Open the display copy for reading; create it now if no worker has.

    Raises UnreadableImage if it cannot be created, also for want of time. An image that exhausted a decoder
    is not tried again, or a few views of it would occupy every web process.
    """
    if not _display_is_there(image) and not image.display_error.startswith(EXHAUSTS):
        with contextlib.suppress(DecoderUnavailable):
            make_displays([image.pk], hurried=True)
        image.refresh_from_db()
    if image.display_state != Image.DisplayState.READY:
        raise UnreadableImage(image.display_error or "the display copy is not ready yet")
    return image.display.open("rb")


def open_display_jpeg(image: Image) -> File[bytes]:
    """Open the display copy as JPEG, created at the first request of a browser without WebP.

    Raises UnreadableImage if there is no display copy; OSError if it cannot be written.
    """
    open_display(image).close()
    return jpeg_beside(image.display.name or "")


def jpeg_beside(name: str) -> File[bytes]:
    """Open a stored WebP as JPEG, created if missing. Raises OSError if it cannot be written."""
    jpeg = str(PurePosixPath(name).with_suffix(".jpg"))
    if not default_storage.exists(jpeg):
        with default_storage.open(name, "rb") as file:
            drawn = draw_jpeg(file.read(), max_pixels=settings.MAX_IMAGE_PIXELS)
        save_whole(jpeg, drawn)
    return default_storage.open(jpeg, "rb")


def _display_is_there(image: Image) -> bool:
    return image.display_state == Image.DisplayState.READY and image.display.storage.exists(
        image.display.name or ""
    )


def original_of(image: Image) -> bytes:
    """Return the stored file of an image. Raises UnreadableImage if it is missing or too large."""
    try:
        with image.file.open("rb") as file:
            return read_limited(file, max_bytes=settings.MAX_IMAGE_BYTES)
    except FileNotFoundError as error:
        raise UnreadableImage("the original file is missing") from error
