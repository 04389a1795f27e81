"""Add missing image files, for example after restoring a bundle of hashes.

The content identifies the image, whose data are unchanged.
"""

from __future__ import annotations

from django.core.files.storage import default_storage

from annotator.images.decoding import DecodedImage
from annotator.images.display import keep_original
from annotator.models import Image, Project

State = Image.DisplayState


def is_missing(image: Image) -> bool:
    """Return whether the file of an image is missing in the storage."""
    return image.display_state == State.FAILED and not default_storage.exists(image.file.name or "")


def missing_image(project: Project, sha256: str) -> Image | None:
    """Return the project's image with this content, if its file is missing."""
    image = Image.objects.filter(project=project, sha256=sha256, display_state=State.FAILED).first()
    return image if image is not None and is_missing(image) else None


def fill_in(image: Image, decoded: DecodedImage) -> None:
    """Store the missing file of an image, whose display copy is then pending. Raises OSError."""
    name = keep_original(image.project, decoded)
    failed = Image.objects.filter(pk=image.pk, display_state=State.FAILED)
    failed.update(file=name, display_state=State.PENDING, display_error="")
