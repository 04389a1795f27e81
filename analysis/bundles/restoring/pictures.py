"""The pictures of a bundle on their way into the storage, after their rows.

A row says what is to come before the picture does, so that what a killed worker has stored is known by a row,
and is taken away with it. Which pictures are there, the rows say too.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Final

from django.conf import settings

from analysis.bundles.restoring.opened import BundleRefused, Opened
from analysis.bundles.restoring.staging import Staging, remove_picture
from analysis.bundles.restoring.storing import NOT_STORED_YET
from annotator.images.decoding import SUFFIXES, UnreadableImage
from annotator.images.storage import save_whole
from annotator.models import Image
from annotator.uploads.decoding_apart import Decoder

AT_ONCE: Final = 50
"""So many pictures at most are stored again by whoever goes on after a killed worker."""


class Pictures:
    """The pictures of one staging; `waiting` says how many are still to come."""

    def __init__(self, bundle: Opened, staging: Staging) -> None:
        self._bundle = bundle
        self._staging = staging
        rows = Image.objects.filter(project=staging.pk, display_error=NOT_STORED_YET).order_by("pk")
        self._ids = array("q", rows.values_list("pk", flat=True).iterator(chunk_size=5000))
        self.waiting = len(self._ids)

    def store(self, pause: Callable[[], None]) -> None:
        """Store what is waiting; `pause` is called after each picture.

        Raises BundleRefused naming the picture at fault, OSError where the storage takes no more, and
        JobCancelled.
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
        """Say in the rows which pictures are there."""
        try:
            with self._staging.writing():
                Image.objects.filter(pk__in=[image.pk for image in done]).update(display_error="")
        except BaseException:
            # Where the staging was taken away meanwhile, nobody else would know of these.
            for image in done:
                if not Image.everything.filter(pk=image.pk).exists():
                    remove_picture(str(image.file.name))
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
