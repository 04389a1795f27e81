"""Job that stores the ready files of an upload, one image at a time, completely or not at all.

The file is written first; image and row then change in one transaction. Repeated or concurrent runs create no
duplicates: the row records what is stored, and the database holds one image per content and per number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError
from django.db.models import Q

from annotator.database.transactions import write_transaction
from annotator.images.decoding import DecodedImage, UnreadableImage, content_hash
from annotator.images.display import add_image, fill_in, keep_original, missing_image
from annotator.images.storage import StoreUnavailable
from annotator.models import Event, Image, Job, Upload, UploadedFile
from annotator.models.prompts import of_prompt
from annotator.uploads.decoding_process import Decoder
from annotator.uploads.names.explicit import columns_of, problem, shown
from annotator.uploads.names.file_states import Namer, placed, settle
from annotator.uploads.sources.contents import UploadContents
from annotator.uploads.sources.sources import SourceRefused
from annotator.uploads.status import TimeSlice, counts, give_back, go_on, take_up
from annotator.work.jobs import JobRefused, Steps
from annotator.work.machine_faults import check_machine
from annotator.work.sending import DisplaySender

State: Final = UploadedFile.State
_CHUNK: Final = 100
# What a lead may still store.
_LEFT: Final = (State.READY, State.UNCLEAR, State.LARGE, State.RECEIVED)
_LONGEST_SOURCE: Final = 400


@dataclass(frozen=True)
class Reader:
    """What reads the files of an upload, and scales them down."""

    contents: UploadContents
    decoder: Decoder


def run_storing(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `upload`: store the READY files."""
    upload = take_up(job, Upload.Status.STORING)
    # The bytes are kept while files are left to correct or to scale down, and removed afterwards.
    then = Upload.Status.READY
    try:
        with UploadContents(upload) as contents:
            if not _store_all(upload, contents, steps):
                return go_on(upload, job, Upload.Status.STORING)
        found = counts(upload)
        if not any(found[state] for state in _LEFT):
            then = Upload.Status.STORED
        return _finished(upload, job, found)
    except SourceRefused as refused:
        raise JobRefused(str(refused)) from refused
    finally:
        give_back(upload, Upload.Status.STORING, then)


def _store_all(upload: Upload, contents: UploadContents, steps: Steps) -> bool:
    """Store ready files until the job's time is up; return whether all are stored."""
    turn = TimeSlice()
    ready = upload.files.filter(state=State.READY)
    waiting = ready.count()
    # Its process starts with the first image that is scaled down.
    with Decoder(max_pixels=settings.MAX_IMAGE_PIXELS) as decoder, DisplaySender() as sender:
        reader = Reader(contents, decoder)
        for done, file in enumerate(_one_by_one(ready.select_related("archive"))):
            steps(done, waiting)
            try:
                image = _store(upload, file, reader)
            except OSError as error:
                # All further files would meet the same full disk.
                stored = upload.files.filter(state=State.STORED).count()
                first = "" if isinstance(error, StoreUnavailable) else "free some space, then "
                raise JobRefused(
                    f"{shown(file.name)} could not be stored ({error.strerror or error}). {stored:,} images "
                    f"of this upload are stored; {first}store again to resume."
                ) from error
            if image is not None:
                sender.send(image.pk)
            if turn.is_over:
                return False
    return True


def _one_by_one(files: Any) -> Iterator[UploadedFile]:
    last = 0
    while chunk := list(files.filter(pk__gt=last).order_by("pk")[:_CHUNK]):
        yield from chunk
        last = chunk[-1].pk


def _store(upload: Upload, file: UploadedFile, reader: Reader) -> Image | None:
    """Return the new image; None if the file cannot be stored, with the reason in its row.

    Raises OSError if the storage is full.
    """
    lost = missing_image(upload.project, file.sha256)
    if lost is not None:
        return _fill_in(lost, file, reader)
    if _is_taken(upload, file):
        settle(upload, placed(upload).filter(pk=file.pk), Namer(upload, placed(upload)))
        return None
    decoded = _decoded(file, reader)
    if decoded is None:
        return None
    name = keep_original(upload.project, decoded)
    try:
        with write_transaction():
            image = add_image(
                project=upload.project,
                decoded=decoded,
                name=name,
                source_name=file.name[-_LONGEST_SOURCE:],
                generator=file.generator,
                prompt=file.prompt,
                prompt_group=file.prompt_group,
                number=file.number,
                attributes=columns_of(file),
            )
            if not _mark_stored(file, image):
                # Another worker has this row, or the lead has changed it.
                raise IntegrityError
    except IntegrityError:
        settle(upload, placed(upload).filter(pk=file.pk), Namer(upload, placed(upload)))
        return None
    return image


def _fill_in(lost: Image, file: UploadedFile, reader: Reader) -> Image | None:
    """Add the missing file of an image and return it; None if the content has changed."""
    decoded = _decoded(file, reader)
    if decoded is None:
        return None
    fill_in(lost, decoded)
    with write_transaction():
        _mark_stored(file, lost)
    return lost


def _is_taken(upload: Upload, file: UploadedFile) -> bool:
    """Return whether content or place was stored in the project since the file was read."""
    place = of_prompt(file.prompt) & Q(generator=file.generator, number=file.number, number__isnull=False)
    return Image.everything.filter(Q(sha256=file.sha256) | place, project=upload.project).exists()


def _mark_stored(file: UploadedFile, image: Image) -> bool:
    """Link the row to its image, unless the row has changed."""
    unchanged = UploadedFile.objects.filter(
        pk=file.pk,
        state=State.READY,
        generator=file.generator,
        prompt=file.prompt,
        prompt_group=file.prompt_group,
        number=file.number,
    )
    return unchanged.update(state=State.STORED, image=image, problem="") == 1


def _decoded(file: UploadedFile, reader: Reader) -> DecodedImage | None:
    """Return the decoded image; None, with the row refused, if its bytes have changed since it was read."""
    reason, state = "", State.REFUSED
    try:
        whole = reader.contents.read(file)
        if content_hash(whole) != (file.scaled_from or {}).get("sha256", file.sha256):
            reason = "its content has changed since it was checked; upload it again"
        elif file.scaled_from is None:
            return DecodedImage(whole, file.sha256, file.format, file.width or 0, file.height or 0)
        elif (scaled := reader.decoder.scale(whole)).sha256 == file.sha256:
            return scaled
        else:
            # The limit or the decoder's version has changed: what is stored must be what was checked.
            reason, state = "scaling it down now gives another result; check it again", State.RECEIVED
    except UnreadableImage as error:
        reason = error.reason
    except OSError as error:
        check_machine(error)
        reason = f"it can no longer be read ({error.strerror or error}); upload it again"
    ready = UploadedFile.objects.filter(pk=file.pk, state=State.READY)
    with write_transaction():
        ready.update(state=state, problem=problem(f"{shown(file.name)}: {reason}."))
    return None


def _finished(upload: Upload, job: Job, found: dict[str, int]) -> dict[str, Any]:
    data = {"upload": str(upload.public_id), "pattern": upload.pattern, "files": found}
    with write_transaction():
        Event.objects.create(project=upload.project, actor=job.requested_by, verb="upload_stored", data=data)
    words = f"{found[State.STORED]:,} images stored"
    if left := found[State.UNCLEAR]:
        words += f"; {left:,} still unclear"
    if large := found[State.LARGE]:
        words += f"; {large:,} too large"
    return {"words": f"{words}.", "stored": found[State.STORED]}
