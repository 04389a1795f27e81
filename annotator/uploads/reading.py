"""Job that reads an upload: unpack archives, decode images, read manifests and names.

Progress is kept in the rows, so a second run resumes after a crash: first archives, then RECEIVED files in
chunks, then names and states, which can be repeated.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final
from uuid import uuid5

from django.conf import settings
from django.core.files.storage import default_storage

from annotator.database.transactions import write_transaction
from annotator.exchange.child_process import MOST_SECONDS, read_in_child
from annotator.exchange.formats.archives import Entry
from annotator.exchange.formats.report import StudyRefused
from annotator.images.decoding import DecodedImage, UnreadableImage, read_limited
from annotator.images.drawing import decoder
from annotator.models import Event, Job, Upload, UploadedFile
from annotator.uploads.contents import name_of, on_this_machine, unpacking_folder
from annotator.uploads.manifests import is_table, read_manifests, take_manifest
from annotator.uploads.naming import choose_pattern, name_files, problem, shown
from annotator.uploads.receiving import FROM_SERVER, NO_IMAGE, ZIP
from annotator.uploads.status import (
    counts,
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

CHUNK: Final = 64
MOST_DECODERS: Final = 2
DECODING: Final = (5, 80)
"""The part of a job's progress, in percent, in which it decodes images."""
ENCODING: Final = "encoding"
"""The choice of an upload that says how names in archives without Unicode are read."""
State: Final = UploadedFile.State

_ENTRIES_AT_ONCE: Final = 500
_BYTES_A_SECOND: Final = 10_000_000
"""What unpacking may take, in bytes of the archive."""


def run_reading(job: Job, steps: Steps) -> Mapping[str, Any] | None:
    """Run a job with the data `upload`: store the type and state of each file in its row.

    None if another job continues.
    """
    upload = take_up(job, Upload.Status.READING)
    try:
        is_over = time_slice()
        _unpack_archives(upload, lambda: steps(0, 100))
        if not (_decode_all(upload, job, steps, is_over) and _read_manifests(upload, steps, is_over)):
            go_on(upload, job, Upload.Status.READING)
            return None
        choose_pattern(upload)
        name_files(upload, steps.between(82, 100))
        return _finished(upload, job)
    except OSError as error:
        check_machine(error)
        raise
    finally:
        give_back(upload, job, Upload.Status.READING)


def contents_of(file: UploadedFile) -> bytes:
    """Return a file's bytes. Raises UnreadableImage if it is empty or too large, OSError if it is missing."""
    with default_storage.open(name_of(file)) as opened:
        return read_limited(opened, max_bytes=settings.MAX_IMAGE_BYTES)


def _read_manifests(upload: Upload, steps: Steps, is_over: Callable[[], bool]) -> bool:
    """Read manifests among the files, and the one given to a command: raises JobRefused for its rows."""
    if not read_manifests(upload, lambda: steps(80, 100), is_over):
        return False
    if given := upload.choices.get("manifest"):
        try:
            problems = take_manifest(upload, "", Path(given))
        except StudyRefused as refused:
            raise JobRefused(str(refused)) from refused
        if problems:
            raise JobRefused(f"{Path(given).name}: {' '.join(problems[:3])}")
    return True


def _finished(upload: Upload, job: Job) -> dict[str, Any]:
    files = counts(upload)
    data = {"upload": str(upload.public_id), "pattern": upload.pattern, "files": files}
    # A command stores immediately, which records its own Event.
    if not upload.choices.get(FROM_SERVER):
        Event.objects.create(project=upload.project, actor=job.requested_by, verb="upload_read", data=data)
    words = {State.UNCLEAR: "unclear", State.DUPLICATE: "duplicates", State.REFUSED: "rejected"}
    parts = [f"{files[State.READY]:,} ready"]
    parts += [f"{files[state]:,} {word}" for state, word in words.items() if files[state]]
    return {"words": f"{', '.join(parts)}. Nothing is stored until you confirm."}


def _unpack_archives(upload: Upload, step: Callable[[], None]) -> None:
    for archive in upload.files.filter(archive=None, state=State.RECEIVED, format=ZIP).order_by("pk"):
        step()
        archive.upload = upload
        _unpack(upload, archive)
        with write_transaction():
            archive.save(update_fields=["state", "problem", "attributes"])
        if archive.state != State.UNCLEAR:
            default_storage.delete(name_of(archive))


def _unpack(upload: Upload, archive: UploadedFile) -> None:
    """Create a row per entry and set the archive's state, without saving; a second run changes nothing."""
    name = shown(archive.name)
    try:
        with on_this_machine(archive) as path, unpacking_folder(upload.public_id) as folder:
            outcome = read_in_child(
                "archive",
                path,
                seconds=MOST_SECONDS + archive.size // _BYTES_A_SECOND,
                folder=str(folder),
                key=archive.public_id.hex,
                most_bytes=settings.MAX_IMAGE_BYTES,
                most_files=settings.MAX_UPLOAD_FILES,
                reserve=settings.UPLOAD_RESERVE_BYTES,
                encoding=upload.choices.get(ENCODING, ""),
            )
    except StudyRefused as refused:
        words = "Reading it takes too much memory or time. Split it into several" if refused.code else refused
        archive.state, archive.problem = State.REFUSED, problem(f"{name}: {words}")
        return
    except FileNotFoundError:
        archive.state, archive.problem = State.REFUSED, f"{name} is missing: upload it again."
        return
    if "asked" in outcome:
        archive.state = State.UNCLEAR
        archive.problem = problem(f"{name}: its names are in an old code page. Say in which one.")
        archive.attributes = {"asked": outcome["asked"]}
        return
    entries = (Entry(*fields) for fields in outcome["entries"])
    while rows := [_entry_row(upload, archive, entry) for entry in islice(entries, _ENTRIES_AT_ONCE)]:
        with write_transaction():
            UploadedFile.objects.bulk_create(rows, ignore_conflicts=True)
    archive.state, archive.problem, archive.attributes = State.ARCHIVE, "", {}


def _entry_row(upload: Upload, archive: UploadedFile, entry: Entry) -> UploadedFile:
    state, words = State.RECEIVED, ""
    if entry.ignored:
        state, words = State.IGNORED, "" if entry.is_left_behind else NO_IMAGE
    elif entry.problem:
        state, words = State.REFUSED, problem(f"{shown(entry.name)}: {entry.problem}.")
    return UploadedFile(
        upload=upload,
        public_id=uuid5(archive.public_id, str(entry.position)),
        archive=archive,
        entry=entry.position,
        name=entry.name,
        size=entry.size,
        state=state,
        problem=words,
    )


def _decode_all(upload: Upload, job: Job, steps: Steps, is_over: Callable[[], bool]) -> bool:
    """Decode received files that are not tables until the job's time is up; return whether all are
    decoded."""
    received = upload.files.filter(state=State.RECEIVED).exclude(is_table())
    left = received.count()
    total = images_in_all(job, steps, left)
    done = total - left
    step = steps.between(*DECODING)
    with ThreadPoolExecutor(min(MOST_DECODERS, os.cpu_count() or 1)) as threads:
        for files in in_chunks(received, CHUNK):
            step(done, total)
            for file in files:
                file.upload = upload
            _note(files, list(threads.map(partial(_outcome, is_over, files[0]), files)))
            done += len(files)
            if is_over():
                return False
    return True


Outcome = DecodedImage | str | None
"""The facts of an image, or why a file is refused, as text after its name; None for one that another job
decodes, because this one's time is up.
"""


def _outcome(is_over: Callable[[], bool], first: UploadedFile, file: UploadedFile) -> Outcome:
    """Decode a file, unless the turn is over; `first` is decoded nevertheless.

    Files that take as long as they may do not hold up other uploads, nor this one.
    """
    if is_over() and file is not first:
        return None
    try:
        contents = contents_of(file)
        with decoder(settings.MAX_IMAGE_PIXELS) as process:
            return process.decode(contents)
    except UnreadableImage as error:
        return error.reason
    except OSError as error:
        check_machine(error)
        return f"it cannot be read ({error.strerror or error}); upload it again"


def _note(files: list[UploadedFile], outcomes: list[Outcome]) -> None:
    """Store the outcomes, except for files removed in the meantime."""
    known = {file.pk: outcome for file, outcome in zip(files, outcomes, strict=True) if outcome is not None}
    with write_transaction():
        rows = UploadedFile.objects.filter(pk__in=known, state=State.RECEIVED)
        held = list(rows.select_for_update().order_by("pk"))
        for file in held:
            _put(file, known[file.pk])
        save_rows(held, ("state", "problem", "sha256", "format", "width", "height", "pixels"))


def _put(file: UploadedFile, outcome: DecodedImage | str) -> None:
    least: int = settings.MIN_IMAGE_SIDE
    if not isinstance(outcome, str) and min(outcome.width, outcome.height) < least:
        size = f"{outcome.width} × {outcome.height}"
        outcome = f"{size} pixels are too few to judge; each side needs {least} or more: use the original"
    if isinstance(outcome, str):
        file.state, file.problem = State.REFUSED, problem(f"{shown(file.name)}: {outcome}.")
        return
    # until its name is read
    file.state, file.problem = State.UNCLEAR, ""
    file.sha256, file.format = outcome.sha256, outcome.format
    file.width, file.height, file.pixels = outcome.width, outcome.height, outcome.pixels
