"""Copies of images in which the faces are blurred, made by a worker from the original."""

from __future__ import annotations

import contextlib
from pathlib import PurePosixPath
from typing import Final

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest
from django.utils.cache import patch_vary_headers

from annotator.database.transactions import write_transaction
from annotator.faces.rectangles import Rectangle
from annotator.images.decoding import EXHAUSTS, DecoderUnavailable, UnreadableImage
from annotator.images.display import jpeg_beside, open_display, open_display_jpeg, original_of
from annotator.images.drawing import draw_display
from annotator.images.storage import save_whole
from annotator.models import FaceDecision, Image
from annotator.work.sending import TaskName

MAKE_BLURRED: Final = TaskName("annotator.tasks.make_blurred")
State = FaceDecision.State
_LONGEST_ERROR: Final = 400


def boxes_of(decision: FaceDecision) -> list[tuple[int, int, int, int]]:
    """Return left, upper, right, lower of what is blurred: each rectangle, enlarged."""
    image = decision.image
    return [Rectangle(*rectangle).enlarged(image.width, image.height) for rectangle in decision.rectangles]


def make_blurred(decision_id: int, *, hurried: bool = False) -> None:
    """Create the blurred copy of a decision if missing. Idempotent and safe to run concurrently.

    An unreadable image sets the row to failed, with the reason. A temporary OSError leaves it pending and is
    raised. Decisions that were replaced in the meantime keep no copy.
    """
    decision = _current().filter(pk=decision_id).first()
    if decision is None or _is_there(decision):
        return
    try:
        drawn = draw_display(
            original_of(decision.image),
            max_pixels=settings.MAX_IMAGE_PIXELS,
            max_side=settings.DISPLAY_MAX_SIDE,
            hidden=boxes_of(decision),
            hurried=hurried,
        )
    except UnreadableImage as error:
        _finish(decision, State.FAILED, error.reason[:_LONGEST_ERROR])
        return
    save_whole(name_of(decision), drawn)
    if not _finish(decision, State.READY):
        remove_copies(decision)


def open_blurred(image: Image, *, webp: bool) -> File[bytes]:
    """Open the copy of an image without its faces; create it now if no worker has.

    Never returns an image with its faces: raises UnreadableImage if the faces are undecided, or the copy
    cannot be created.
    """
    decision = _current().filter(image=image).first()
    if decision is None:
        raise UnreadableImage("its faces have not been marked yet")
    if not decision.rectangles:
        return open_display(image) if webp else open_display_jpeg(image)
    if not _is_there(decision) and not decision.error.startswith(EXHAUSTS):
        with contextlib.suppress(DecoderUnavailable):
            make_blurred(decision.pk, hurried=True)
        decision.refresh_from_db()
    if decision.state != State.READY:
        raise UnreadableImage(decision.error or "the blurred copy is not ready yet")
    name = name_of(decision)
    return default_storage.open(name, "rb") if webp else jpeg_beside(name)


def picture_response(request: HttpRequest, image: Image, *, blurred: bool) -> FileResponse:
    """Return the displayed image, with its faces blurred if asked; JPEG unless the request names WebP.

    Browsers without WebP also send `image/*` or `*/*`. Raises UnreadableImage.
    """
    webp = any((kind.main_type, kind.sub_type) == ("image", "webp") for kind in request.accepted_types)
    if blurred:
        picture = open_blurred(image, webp=webp)
    else:
        picture = open_display(image) if webp else open_display_jpeg(image)
    response = FileResponse(picture, content_type="image/webp" if webp else "image/jpeg")
    # FileResponse would reveal the name in the storage, a hash of the content.
    response["Content-Disposition"] = "inline"
    response["X-Content-Type-Options"] = "nosniff"
    patch_vary_headers(response, ["Accept"])
    return response


def name_of(decision: FaceDecision) -> str:
    """Return the name of a decision's copy in the storage."""
    image = decision.image
    return f"blurred/{image.project_id}/{image.sha256[:2]}/{image.sha256}-{decision.key.hex}.webp"


def copies_of(decision: FaceDecision) -> tuple[str, str]:
    """Return the names of all files that a decision may have."""
    name = name_of(decision)
    return name, str(PurePosixPath(name).with_suffix(".jpg"))


def remove_copies(decision: FaceDecision) -> None:
    """Remove the files of a decision. Raises OSError."""
    for name in copies_of(decision):
        default_storage.delete(name)


def _current() -> QuerySet[FaceDecision]:
    return FaceDecision.objects.filter(replaced_at=None).select_related("image")


def _is_there(decision: FaceDecision) -> bool:
    return decision.state == State.READY and (
        not decision.rectangles or default_storage.exists(name_of(decision))
    )


def _finish(decision: FaceDecision, state: FaceDecision.State, error: str = "") -> bool:
    """Store what became of a copy; return False if the decision was replaced in the meantime."""
    with write_transaction():
        current = FaceDecision.objects.filter(pk=decision.pk, replaced_at=None)
        return bool(current.update(state=state, error=error))
