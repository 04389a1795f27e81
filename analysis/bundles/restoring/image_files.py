"""Store the image files of a bundle after their rows.

Each row announces its file before the file is stored, so that files of a killed worker are deleted with their
rows. The rows also record which files are stored.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Final

from django.conf import settings

from analysis.bundles.restoring.archive import BundleRefused, Opened
from analysis.bundles.restoring.staging import Staging, remove_file
from analysis.bundles.restoring.storing import NOT_STORED_YET
from annotator.images.decoding import SUFFIXES, UnreadableImage
from annotator.images.storage import save_whole
from annotator.models import Image
from annotator.uploads.decoding_process import Decoder

AT_ONCE: Final = 50
"""At most this many files are stored a second time after a worker was killed."""


class ImageFiles:
    """The image files of one staging; `waiting` is how many remain."""

    def __init__(self, bundle: Opened, staging: Staging) -> None:
        self._bundle = bundle
        self._staging = staging
        rows = Image.objects.filter(project=staging.pk, display_error=NOT_STORED_YET).order_by("pk")
        self._ids = array("q", rows.values_list("pk", flat=True).iterator(chunk_size=5000))
        self.waiting = len(self._ids)

    def store(self, pause: Callable[[], None]) -> None:
        """Store the remaining files, calling `pause` after each.

        Raise BundleRefused naming an invalid file, OSError if the storage fails, and JobCancelled.
        """
        with Decoder(max_pixels=settings.MAX_IMAGE_PIXELS) as decoder:
            for start in range(0, len(self._ids), AT_ONCE):
                self._store_some(list(self._ids[start : start + AT_ONCE]), decoder, pause)

    def _store_some(self, ids: list[int], decoder: Decoder, pause: Callable[[], None]) -> None:
        done: list[Image] = []
        try:
            for image in Image.objects.filter(pk__in=ids).order_by("pk"):
                self._store_one(image, decoder)
                done.append(image)
                self.waiting -= 1
                pause()
        finally:
            self._note(done)

    def _note(self, done: list[Image]) -> None:
        """Record in the rows which files are stored."""
        try:
            with self._staging.writing():
                Image.objects.filter(pk__in=[image.pk for image in done]).update(display_error="")
        except BaseException:
            # If the staging was deleted meanwhile, no row knows these files.
            for image in done:
                if not Image.everything.filter(pk=image.pk).exists():
                    remove_file(str(image.file.name))
            raise

    def _store_one(self, image: Image, decoder: Decoder) -> None:
        place = f"images/{image.sha256}.{SUFFIXES[image.format]}"
        contents = self._bundle.contents(place, settings.MAX_IMAGE_BYTES)
        try:
            facts = decoder.decode(contents)
        except UnreadableImage as error:
            raise BundleRefused(f"{place}: {error.reason}.") from error
        for name in ("sha256", "format", "width", "height"):
            if getattr(facts, name) != getattr(image, name):
                found, said = getattr(facts, name), getattr(image, name)
                raise BundleRefused(f"{place}: {name} is {found}; restore/images.jsonl has {said}.")
        save_whole(str(image.file.name), contents)
