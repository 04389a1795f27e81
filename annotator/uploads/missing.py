"""Pictures that a project knows by their hash alone, as after a bundle of hashes, filled in by an upload.

The content says which image a file belongs to. What the project knows of the image stays as it is.
"""

from __future__ import annotations

from django.core.files.storage import default_storage

from annotator.images.decoding import DecodedImage
from annotator.images.display import keep_original
from annotator.models import Image, Project

State = Image.DisplayState


def is_missing(image: Image) -> bool:
    """Whether nobody can be shown an image because its file is not in the storage."""
    return image.display_state == State.FAILED and not default_storage.exists(image.file.name or "")


def missing_image(project: Project, sha256: str) -> Image | None:
    """The project's image of this content, if its file is missing."""
    image = Image.objects.filter(project=project, sha256=sha256, display_state=State.FAILED).first()
    return image if image is not None and is_missing(image) else None


def fill_in(image: Image, decoded: DecodedImage) -> None:
    """Write the picture of an image whose file is missing; a copy is to be made then. Raises OSError."""
    name = keep_original(image.project, decoded)
    failed = Image.objects.filter(pk=image.pk, display_state=State.FAILED)
    failed.update(file=name, display_state=State.PENDING, display_error="")
