"""Store the ready files of an upload in chunks: the files first, then all their rows in one transaction.

Repeated or concurrent runs create no duplicates: the row of a file records what is stored, and the database
holds one image per content and per number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from django.db import IntegrityError
from django.db.models import Q

from annotator.database.transactions import write_transaction
from annotator.exchange.which_image import store_image_ids
from annotator.images.decoding import UnreadableImage, content_hash
from annotator.images.display import image_row
from annotator.images.storage import FilesTogether, StoreUnavailable
from annotator.models import Event, Image, Job, Project, Upload, UploadedFile
from annotator.uploads.naming import columns_of, name_files, problem, shown
from annotator.uploads.reading import contents_of
from annotator.uploads.status import (
    counts,
    ended,
    give_back,
    go_on,
    images_in_all,
    in_chunks,
    save_rows,
    take_up,
    time_slice,
)
from annotator.work.jobs import JobRefused, Steps
from annotator.work.machine_faults import check_machine
from annotator.work.sending import send_displays
from scoring.prompts import prompt_key

State: Final = UploadedFile.State
CHUNK: Final = 128
"""Files whose rows are stored together: a worker that is killed leaves at most as many files without rows."""
# What a lead may still store.
_LEFT: Final = (State.READY, State.UNCLEAR, State.RECEIVED)


def run_storing(job: Job, steps: Steps) -> None:
    """Run a job with the data `upload`: store the READY files, and end the job with the upload's status."""
    upload = take_up(job, Upload.Status.STORING)
    try:
        if not _store_all(upload, job, steps):
            return go_on(upload, job, Upload.Status.STORING)
        _finish(upload, job)
    finally:
        give_back(upload, job, Upload.Status.STORING)
        store_image_ids(upload.project)


def _store_all(upload: Upload, job: Job, steps: Steps) -> bool:
    """Store ready files until the job's time is up; return whether all are stored."""
    is_over = time_slice()
    ready = upload.files.filter(state=State.READY)
    left = ready.count()
    total = images_in_all(job, steps, left)
    done = total - left
    reachable = True
    for files in in_chunks(ready, CHUNK):
        steps(done, total)
        try:
            stored = store_chunk(upload, files)
        except NotWritten as refused:
            send_displays(refused.stored)
            # All further files would meet the same full disk.
            number = upload.files.filter(state=State.STORED).count()
            first = "" if isinstance(refused.error, StoreUnavailable) else "free some space, then "
            raise JobRefused(
                f"{shown(refused.name)} could not be stored ({refused.error.strerror or refused.error}). "
                f"{number:,} images of this upload are stored; {first}store again to resume."
            ) from refused
        reachable = reachable and send_displays(stored) == len(stored)
        done += len(files)
        if is_over():
            return False
    return True


def _finish(upload: Upload, job: Job) -> None:
    """Record what is stored and end the job, all or nothing: a retry would record it again."""
    found = counts(upload)
    words = f"{found[State.STORED]:,} images stored"
    if left := found[State.UNCLEAR]:
        words += f"; {left:,} still unclear"
    data = {"upload": str(upload.public_id), "pattern": upload.pattern, "files": found}
    # The bytes are kept while files are left to name, and removed afterwards.
    then = Upload.Status.READY if any(found[state] for state in _LEFT) else Upload.Status.STORED
    with write_transaction():
        ended(job, {"words": f"{words}.", "stored": found[State.STORED]})
        Event.objects.create(project=upload.project, actor=job.requested_by, verb="upload_stored", data=data)
        give_back(upload, job, Upload.Status.STORING, then)


_LONGEST_SOURCE: Final = 400
# Columns that the lead may change while a file is written.
_SAID: Final = ("generator", "prompt", "prompt_group", "number")


class NotWritten(Exception):
    """A file of this `name` that the storage did not take; the images `stored` before it are safe."""

    def __init__(self, name: str, error: OSError, stored: Collection[int]) -> None:
        super().__init__(f"{name}: {error}")
        self.name, self.error, self.stored = name, error, stored


def store_chunk(upload: Upload, files: Sequence[UploadedFile]) -> list[int]:
    """Store files and return the ids of their images; the row of a file that cannot be stored has the reason.

    A row exists only after its file and folder are synced to the disk. Raises NotWritten if the storage is
    full.
    """
    taken = _taken(upload, files)
    written: list[tuple[UploadedFile, Image]] = []
    failed: OSError | None = None
    name = ""
    try:
        with FilesTogether() as together:
            for file in files:
                name = file.name
                if file.pk in taken or (contents := _contents(upload, file)) is None:
                    continue
                image = _image(upload, file)
                try:
                    together.save(image.file.name or "", contents)
                    written.append((file, image))
                except OSError as error:
                    failed = error
                    break
    except OSError as error:  # of a folder: nothing in it counts as stored
        raise NotWritten(name, error, ()) from error
    stored = _add_rows(upload, written)
    if taken:
        name_files(upload, lambda *_: None)
    if failed is not None:
        raise NotWritten(name, failed, stored) from failed
    return stored


def _taken(upload: Upload, files: Sequence[UploadedFile]) -> set[int]:
    """Return the ids of files whose content or place was stored in the project since they were read."""
    there = Q(sha256__in=[file.sha256 for file in files]) | Q(pixels__in=[file.pixels for file in files])
    # A condition for each place would take a fifth of the time; the places are compared below.
    placed = [file for file in files if file.number is not None]
    there |= Q(
        generator__in={file.generator for file in placed},
        prompt__key__in={prompt_key(file.prompt) for file in placed},
        number__in={file.number for file in placed},
    )
    found = Image.objects.filter(there, project=upload.project).order_by()
    rows = list(found.values_list("sha256", "pixels", "generator", "prompt", "number"))
    contents, places = {digest for row in rows for digest in row[:2]}, {row[2:] for row in rows}
    return {
        file.pk
        for file in files
        if file.sha256 in contents
        or file.pixels in contents
        or (file.number is not None and (file.generator, file.prompt, file.number) in places)
    }


def _image(upload: Upload, file: UploadedFile) -> Image:
    return image_row(
        upload.project,
        file,
        source_name=file.name[-_LONGEST_SOURCE:],
        attributes=columns_of(file),
        **{column: getattr(file, column) for column in _SAID},
    )


def _add_rows(upload: Upload, written: Sequence[tuple[UploadedFile, Image]]) -> list[int]:
    """Add the images of written files, together if possible; return their ids."""
    try:
        return _add(written)
    except IntegrityError:
        # Another job has stored one of them in the meantime.
        stored = []
        for each in written:
            try:
                stored += _add([each])
            except IntegrityError:
                name_files(upload, lambda *_: None)
        return stored


def _add(written: Sequence[tuple[UploadedFile, Image]]) -> list[int]:
    """Add images and link their files' rows. Raises IntegrityError, having changed nothing."""
    if not written:
        return []
    with write_transaction():
        # Jobs that add the same images follow one another, whatever their order.
        Project.locked(written[0][1].project_id)
        # Without files that the lead has changed in the meantime, or another worker has stored.
        held = _unchanged([file for file, _ in written])
        images = [image for file, image in written if file.pk in held]
        Image.objects.bulk_create(images)
        by_content = {image.sha256: image.pk for image in images}
        _link(held, {file.pk: by_content[file.sha256] for file, _ in written if file.pk in held})
    return list(by_content.values())


def _unchanged(files: Sequence[UploadedFile]) -> dict[int, UploadedFile]:
    """Lock the rows that are still as they were read, inside a transaction; return them by id."""
    rows = UploadedFile.objects.filter(pk__in=[file.pk for file in files], state=State.READY)
    held = {row.pk: row for row in rows.select_for_update().order_by("pk")}
    return {
        file.pk: held[file.pk]
        for file in files
        if file.pk in held and all(getattr(file, name) == getattr(held[file.pk], name) for name in _SAID)
    }


def _link(rows: Mapping[int, UploadedFile], images: Mapping[int, int]) -> None:
    for pk, row in rows.items():
        row.state, row.problem, row.image_id = State.STORED, "", images[pk]
    save_rows(rows.values(), ["state", "problem", "image_id"])


def _contents(upload: Upload, file: UploadedFile) -> bytes | None:
    """Return the bytes of a file; None, with the row refused, if they have changed since it was read."""
    file.upload = upload
    try:
        contents = contents_of(file)
        if content_hash(contents) == file.sha256:
            return contents
        reason = "its content has changed since it was checked; upload it again"
    except UnreadableImage as error:
        reason = error.reason
    except OSError as error:
        check_machine(error)
        reason = f"it can no longer be read ({error.strerror or error}); upload it again"
    ready = UploadedFile.objects.filter(pk=file.pk, state=State.READY)
    with write_transaction():
        ready.update(state=State.REFUSED, problem=problem(f"{shown(file.name)}: {reason}."))
    return None
