"""Images: the original as it came, and the copy that people are shown."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage

from annotator.database.transactions import write_transaction
from annotator.images.decoding import (
    DecodedImage,
    UnreadableImage,
    decode_image,
    draw_display,
    draw_jpeg,
    read_limited,
)
from annotator.images.storage import save_whole
from annotator.models import Image, Project

__all__ = [
    "DecodedImage",
    "UnreadableImage",
    "add_image",
    "decode_image",
    "keep_original",
    "make_display",
    "open_display",
    "open_display_jpeg",
    "store_image",
]

_LONGEST_ERROR = 400


def store_image(*, project: Project, decoded: DecodedImage, source_name: str, **fields: Any) -> Image:
    """Store an original and its row; the row comes last, so that it never names half a file.

    `fields`: generator, prompt, prompt_group, number, attributes. Raises IntegrityError where the
    content, or the number within generator and prompt, is already in the project; OSError when the
    file cannot be written.
    """
    name = keep_original(project, decoded)
    with write_transaction():
        return add_image(project=project, decoded=decoded, name=name, source_name=source_name, **fields)


def keep_original(project: Project, decoded: DecodedImage) -> str:
    """Write an original, whole, under the name its content gives it, which is returned. Raises OSError."""
    name = f"originals/{project.pk}/{decoded.sha256[:2]}/{decoded.sha256}.{decoded.suffix}"
    save_whole(name, decoded.contents)
    return name


def add_image(
    *, project: Project, decoded: DecodedImage, name: str, source_name: str, **fields: Any
) -> Image:
    """Add the row of an original that is kept under `name`. Raises IntegrityError as `store_image` does."""
    return Image.objects.create(
        project=project,
        file=name,
        sha256=decoded.sha256,
        source_name=source_name,
        format=decoded.format,
        width=decoded.width,
        height=decoded.height,
        **fields,
    )


def make_display(image_id: int) -> None:
    """Draw an image's copy for display, unless it is there. Safe to repeat and to run twice at once.

    A picture that cannot be drawn leaves the row failed, with the reason. OSError (disk full) leaves it
    pending and is raised, because it passes. An image that no longer exists is nothing to do.
    """
    image = Image.objects.filter(pk=image_id).first()
    if image is None or _display_is_there(image):
        return
    try:
        drawn = draw_display(
            _original(image), max_pixels=settings.MAX_IMAGE_PIXELS, max_side=settings.DISPLAY_MAX_SIDE
        )
    except UnreadableImage as error:
        _finish(image, display_state=Image.DisplayState.FAILED, display_error=error.reason[:_LONGEST_ERROR])
        return
    name = f"display/{image.project_id}/{image.sha256[:2]}/{image.sha256}.webp"
    save_whole(name, drawn)
    _finish(image, display=name, display_state=Image.DisplayState.READY, display_error="")


def open_display(image: Image) -> File[bytes]:
    """The copy for display, open for reading; drawn here and now when no worker has done it yet.

    Raises UnreadableImage when it cannot be drawn.
    """
    if not _display_is_there(image):
        make_display(image.pk)
        image.refresh_from_db()
    if image.display_state != Image.DisplayState.READY:
        raise UnreadableImage(image.display_error or "the picture is not there yet")
    return image.display.open("rb")


def open_display_jpeg(image: Image) -> File[bytes]:
    """The copy for display as JPEG; made from the copy the first time a browser without WebP asks.

    Raises UnreadableImage when there is nothing to make it from; OSError when it cannot be written.
    """
    with open_display(image) as display:
        name = str(PurePosixPath(image.display.name or "").with_suffix(".jpg"))
        if not default_storage.exists(name):
            save_whole(name, draw_jpeg(display.read(), max_pixels=settings.MAX_IMAGE_PIXELS))
    return default_storage.open(name, "rb")


def _display_is_there(image: Image) -> bool:
    return image.display_state == Image.DisplayState.READY and image.display.storage.exists(
        image.display.name or ""
    )


def _original(image: Image) -> bytes:
    try:
        with image.file.open("rb") as file:
            return read_limited(file, max_bytes=settings.MAX_IMAGE_BYTES)
    except FileNotFoundError as error:
        raise UnreadableImage("the original file is missing") from error


def _finish(image: Image, **fields: Any) -> None:
    with write_transaction():
        Image.objects.filter(pk=image.pk).update(**fields)
