"""Restore a bundle: check it line by line, store it hidden, and transfer it in one step.

Several workers may resume one after the other: the staging holds what is stored, and the job how many hashes
are verified. The order is fixed: hashes, image rows, image files, annotations, plans and reports.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from analysis.bundles.restoring.archive import BundleRefused, Opened, Watch, counted
from analysis.bundles.restoring.manifest import Manifest, read_manifest
from analysis.bundles.restoring.rules import NOT_STORED_YET
from analysis.bundles.restoring.staging import NO_JOB, Actor, Staging, hand_over, remove_file, require_empty
from analysis.bundles.restoring.storing import Rows
from annotator.images.decoding import SUFFIXES, UnreadableImage
from annotator.images.decoding_process import Decoder
from annotator.images.storage import save_whole
from annotator.models import Image, Project
from annotator.work.sending import DisplaySender

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
            # If the staging was deleted in the meantime, no row knows these files.
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


# Verifying the hashes is a third of the work.
CHECKED_AT: Final = 30
A_PICTURE: Final = 20
"""Rows stored in about the time of one image file."""


class TimeSliceOver(Exception):
    """Another worker resumes; completed work is kept."""


@dataclass
class Restored:
    """What was restored, and `remarks` as text."""

    images: int = 0
    pictures: int = 0
    annotations: int = 0
    remarks: list[str] = field(default_factory=list)


def restore(path: Path, project: Project, *, actor: Actor, watch: Watch) -> Restored:
    """Restore a bundle into an empty project, completely or not at all, without interruption.

    Raise BundleRefused naming the error; OSError if the storage fails.
    """
    restoring = Restoring(path, project, watch=watch)
    try:
        return restoring.run(actor=actor)
    except BaseException:
        restoring.discard()
        raise


class Restoring:
    """One bundle being restored into a project.

    `job` identifies the staging, `checked` is how many files were verified before, `me` is the code in the
    bundle under which the actor continues, if any; `is_over` is called after every piece of work.
    """

    def __init__(
        self,
        path: Path,
        project: Project,
        *,
        watch: Watch,
        job: int = NO_JOB,
        checked: int = 0,
        me: str = "",
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._path = path
        self._project = project
        self._watch = watch
        self._job = job
        self._me = me
        self._is_over = is_over
        self._staging: Staging | None = None
        self.checked = checked

    def run(
        self,
        *,
        actor: Actor,
        event: dict[str, Any] | None = None,
        then: Callable[[], None] = lambda: None,
    ) -> Restored:
        """Continue to the end; `event` is added to the Event, `then` runs with the transfer of rows.

        Raise TurnOver, keeping completed work, once `is_over` returns true; BundleRefused naming the error,
        OSError if the storage fails, JobCancelled if another worker has taken over.
        """
        self._staging = Staging.take(self._project, self._job)
        require_empty(self._project)
        bundle = Opened(self._path)
        manifest = read_manifest(bundle)
        staging = self._staging = self._staging or self._begun(bundle, manifest)
        made = self._stored(bundle, manifest, staging)
        said = {
            "bundle": bundle.sums_digest(),
            "name": manifest.name,
            "images": made.images,
            "annotations": made.annotations,
            "remarks": made.remarks,
            **(event or {}),
        }

        made.remarks = made.remarks + hand_over(staging, self._project, actor, said, then, self._me)
        self._project.refresh_from_db()
        self._send_displays()
        return made

    def discard(self) -> None:
        """Delete what was stored, unless another worker has taken over."""
        if self._staging is not None:
            self._staging.discard()

    def _begun(self, bundle: Opened, manifest: Manifest) -> Staging:
        """Verify the hashes first, because a staging implies that they are verified."""

        def watch(done: int, total: int) -> None:
            self._watch(CHECKED_AT * done, 100 * max(1, total))

        for checked in bundle.verify(watch, self.checked):
            self.checked = checked
            self._pause()
        return Staging.begin(self._project, self._job, manifest)

    def _stored(self, bundle: Opened, manifest: Manifest, staging: Staging) -> Restored:
        rows = Rows(bundle, manifest, staging, self._project)
        rows.store_images(lambda: self._step(manifest, rows.stored, 0))
        pictures = ImageFiles(bundle, staging)
        wanted = _pictures_of(manifest)
        pictures.store(lambda: self._step(manifest, rows.stored, wanted - pictures.waiting))
        rows.store_answers(lambda: self._step(manifest, rows.stored, wanted))
        rows.store_rest()
        there = staging.project.images.filter(display_error="").count()
        made = Restored(len(rows.ids["images"]), there, len(rows.ids["annotations"]))
        if lost := made.images - made.pictures:
            made.remarks.append(
                f"The files of {counted(lost, 'image')} are not in the bundle, so these cannot be displayed "
                "or annotated yet. Upload the files to this project under any name; they are matched by "
                "content."
            )
        return made

    def _step(self, manifest: Manifest, rows: int, pictures: int) -> None:
        counts = manifest.counts
        total = sum(count for name, count in counts.items() if name != "pictures_missing")
        total = max(1, total + A_PICTURE * _pictures_of(manifest))
        done = min(total, rows + A_PICTURE * max(0, pictures))
        self._watch(CHECKED_AT * total + (99 - CHECKED_AT) * done, 100 * total)
        self._pause()

    def _pause(self) -> None:
        if self._is_over():
            raise TimeSliceOver

    def _send_displays(self) -> None:
        waiting = self._project.images.filter(display_state=Image.DisplayState.PENDING).order_by("pk")
        with DisplaySender() as sender:
            sender.send(*waiting.values_list("pk", flat=True).iterator())


def _pictures_of(manifest: Manifest) -> int:
    counts = manifest.counts
    return max(0, counts["images"] - counts["pictures_missing"]) if manifest.pictures else 0
