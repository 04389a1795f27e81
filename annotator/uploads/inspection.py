"""Job that reads an upload: list archives, decode images, read tables and names.

Progress is kept in the rows, so a second run resumes after a crash: first archives, then RECEIVED files in
chunks, then names and states, which can be repeated.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from django.conf import settings
from django.db.models import Q

from annotator.database.transactions import write_transaction
from annotator.exchange.formats.report import StudyRefused
from annotator.images.decoding import TooManyPixels, UnreadableImage
from annotator.images.decoding_process import Decoder, Facts
from annotator.models import Event, Job, Upload, UploadedFile
from annotator.uploads.archives.archives import ArchiveRefused, list_entries
from annotator.uploads.bulk_saving import save_rows
from annotator.uploads.bytes import keep_thumbnail
from annotator.uploads.names.explicit import problem, shown
from annotator.uploads.names.file_states import name_files, placed
from annotator.uploads.names.guessing import guess_patterns
from annotator.uploads.paths import is_left_behind
from annotator.uploads.sources.contents import UploadContents
from annotator.uploads.sources.sources import SourceRefused
from annotator.uploads.status import TimeSlice, counts, give_back, go_on, images_in_all, in_chunks, take_up
from annotator.uploads.tables import match_odd_numbers, read_tables, take_manifest
from annotator.work.jobs import JobRefused, Steps
from annotator.work.machine_faults import check_machine

CHUNK: Final = 64
MOST_DECODERS: Final = 2
DECODING: Final = (5, 80)
"""The part of a job's progress, in percent, in which it decodes images."""
State: Final = UploadedFile.State

_ENTRIES_AT_ONCE: Final = 500
_ARCHIVE_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")
# Common files beside images. All others are opened, and the content decides.
_NO_PICTURES: Final = (
    ".txt", ".md", ".rst", ".json", ".jsonl", ".xml", ".html", ".htm", ".pdf", ".doc", ".docx", ".xls",
    ".xlsx", ".ods", ".odt", ".ini", ".log", ".py", ".ipynb", ".yaml", ".yml", ".toml", ".tsv", ".parquet",
    ".license", ".gitignore", ".gitattributes",
)  # fmt: skip


def run_reading(job: Job, steps: Steps) -> Mapping[str, Any] | None:
    """Run a job with the data `upload`: store the type and state of each file in its row.

    None if another job continues.
    """
    upload = take_up(job, Upload.Status.READING)
    try:
        with UploadContents(upload) as contents:
            _list_archives(upload, contents, lambda: steps(0, 100))
            _pass_over(upload)
            turn = TimeSlice()
            if not (
                _decode_all(upload, job, contents, steps, turn)
                and read_tables(upload, contents, lambda: steps(80, 100), turn)
            ):
                go_on(upload, job, Upload.Status.READING)
                return None
            _read_given_manifest(upload)
        _guess(upload)
        _name(upload, steps.between(82, 100))
        return _finished(upload, job)
    except SourceRefused as refused:
        raise JobRefused(str(refused)) from refused
    except OSError as error:
        check_machine(error)
        raise
    finally:
        give_back(upload, job, Upload.Status.READING)


def run_naming(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `upload`: read the names by the current pattern."""
    upload = take_up(job, Upload.Status.READING)
    try:
        _name(upload, steps)
        return {"words": _words(upload)}
    finally:
        give_back(upload, job, Upload.Status.READING)


def _name(upload: Upload, steps: Callable[[int, int], None]) -> None:
    name_files(upload, steps)
    if upload.choices.get("annotated"):
        # A sheet determines some numbers, which frees those in the names for other files.
        match_odd_numbers(upload, lambda: steps(1, 1))
        name_files(upload, steps)


def _read_given_manifest(upload: Upload) -> None:
    """Read the manifest passed to a command. Raises JobRefused for an invalid row."""
    if given := upload.choices.get("manifest"):
        try:
            words = take_manifest(upload, "", Path(given))
        except StudyRefused as refused:
            raise JobRefused(str(refused)) from refused
        if words:
            raise JobRefused(f"{Path(given).name}: {words}")


def _finished(upload: Upload, job: Job) -> dict[str, Any]:
    data = {"upload": str(upload.public_id), "pattern": upload.pattern, "files": counts(upload)}
    # A command stores immediately, which records its own Event.
    if not upload.choices.get("source"):
        Event.objects.create(project=upload.project, actor=job.requested_by, verb="upload_read", data=data)
    return {"words": _words(upload)}


def _words(upload: Upload) -> str:
    found = counts(upload)
    parts = [
        f"{found[state]:,} {word}"
        for state, word in (
            (State.READY, "ready"),
            (State.UNCLEAR, "unclear"),
            (State.DUPLICATE, "duplicates"),
            (State.LARGE, "too large"),
            (State.REFUSED, "rejected"),
        )
        if found[state] or state == State.READY
    ]
    return f"{', '.join(parts)}. Nothing is stored until you confirm."


def _list_archives(upload: Upload, contents: UploadContents, step: Callable[[], None]) -> None:
    received = upload.files.filter(archive=None, state=State.RECEIVED).order_by("pk")
    for file in received.filter(name__iendswith=".zip"):
        _list(upload, file, contents, step)
    # Zip archives and images are detected by their first bytes, whatever their names.
    for file in received.exclude(_named_like_pictures()).exclude(name__iendswith=".csv").iterator(500):
        if contents.start(file, 4) in _ARCHIVE_STARTS:
            _list(upload, file, contents, step)


def _named_like_pictures() -> Q:
    endings = (".png", ".jpg", ".jpeg", ".webp", ".gif", *_NO_PICTURES)
    named = Q()
    for ending in endings:
        named |= Q(name__iendswith=ending)
    return named


def _list(upload: Upload, archive: UploadedFile, contents: UploadContents, step: Callable[[], None]) -> None:
    """Create a row per entry; the next run completes a partial list, with one row per entry."""
    state, words = State.ARCHIVE, ""
    try:
        entries = list_entries(contents.path(archive), settings.MAX_IMAGE_BYTES)
        while chunk := list(islice(entries, _ENTRIES_AT_ONCE)):
            step()
            rows = [_entry_row(upload, archive, entry) for entry in chunk]
            with write_transaction():
                UploadedFile.objects.bulk_create(rows, ignore_conflicts=True)
    except ArchiveRefused as refused:
        state, words = State.REFUSED, f"{shown(archive.name)}: {refused}"
    except OSError as error:
        check_machine(error)
        state, words = State.REFUSED, f"{shown(archive.name)} cannot be read: {error.strerror or error}."
    with write_transaction():
        UploadedFile.objects.filter(pk=archive.pk, state=State.RECEIVED).update(
            state=state, problem=problem(words)
        )


def _entry_row(upload: Upload, archive: UploadedFile, entry: Any) -> UploadedFile:
    state = State.IGNORED if entry.ignored else State.REFUSED if entry.problem else State.RECEIVED
    words = f"{shown(entry.name)}: {entry.problem}." if entry.problem else ""
    return UploadedFile(
        upload=upload, archive=archive, entry=entry.index, name=entry.name, size=entry.size,
        state=state, problem=problem(words),
    )  # fmt: skip


def _pass_over(upload: Upload) -> None:
    """Ignore system files and files that are not images by their name."""
    received = upload.files.filter(state=State.RECEIVED)
    named = Q()
    for ending in _NO_PICTURES:
        named |= Q(name__iendswith=ending)
    with write_transaction():
        words = "Not an image, by its file extension."
        received.filter(named).update(state=State.IGNORED, problem=words)
    left = [
        file.pk
        for file in received.filter(_perhaps_left_behind()).only("pk", "name").iterator(500)
        if is_left_behind(file.name)
    ]
    for start in range(0, len(left), _ENTRIES_AT_ONCE):
        with write_transaction():
            upload.files.filter(pk__in=left[start : start + _ENTRIES_AT_ONCE]).update(state=State.IGNORED)


def _perhaps_left_behind() -> Q:
    named = Q()
    for part in ("__MACOSX", "._", ".DS_Store", "Thumbs.db", "desktop.ini"):
        named |= Q(name__icontains=part)
    return named


def _decode_all(upload: Upload, job: Job, contents: UploadContents, steps: Steps, turn: TimeSlice) -> bool:
    """Decode received files that are not tables until the job's time is up; return whether all are
    decoded."""
    received = upload.files.filter(state=State.RECEIVED).exclude(name__iendswith=".csv")
    left = received.count()
    total = images_in_all(job, steps, left)
    done = total - left
    step = steps.between(*DECODING)
    # A source named on the command line has no page that shows them.
    thumbnails = not upload.choices.get("source")
    with Decoders(settings.MAX_IMAGE_PIXELS, thumbnails=thumbnails) as decoders:
        for files in in_chunks(received.select_related("archive"), CHUNK):
            step(done, total)
            read = decoders.read(files, contents, turn)
            _note(files, read)
            done += len(files)
            if turn.is_over:
                return False
    return True


Outcome = Facts | TooManyPixels | str | None
"""The facts of an image, an image to be scaled down, or why a file is refused, as text after its name; None
for one that another job decodes, because this one's time is up.
"""


def _note(files: list[UploadedFile], outcomes: list[Outcome]) -> None:
    """Store the outcomes, except for files removed in the meantime."""
    found = {file.pk: outcome for file, outcome in zip(files, outcomes, strict=True) if outcome is not None}
    with write_transaction():
        rows = UploadedFile.objects.filter(pk__in=found, state=State.RECEIVED)
        held = list(rows.select_for_update().order_by("pk"))
        for file in held:
            _put(file, found[file.pk])
        save_rows(held, _FACTS)


def _put(file: UploadedFile, outcome: Facts | TooManyPixels | str) -> None:
    if isinstance(outcome, TooManyPixels):
        file.state, file.problem = State.LARGE, problem(f"{shown(file.name)}: {outcome.reason}.")
        file.format, file.width, file.height = outcome.format, outcome.width, outcome.height
        return
    if isinstance(outcome, str):
        file.state, file.problem = State.REFUSED, problem(f"{shown(file.name)}: {outcome}.")
        return
    # until its name is read
    file.state, file.problem = State.UNCLEAR, ""
    file.sha256, file.format = outcome.sha256, outcome.format
    file.width, file.height = outcome.width, outcome.height
    file.scaled_from = outcome.scaled_from


_FACTS: Final = ("state", "problem", "sha256", "format", "width", "height", "scaled_from")


class Decoders:
    """Parallel decoding processes, each on one file."""

    def __init__(self, max_pixels: int, count: int = 0, *, thumbnails: bool = False) -> None:
        count = count or min(MOST_DECODERS, os.cpu_count() or 1)
        self._stack = ExitStack()
        self._free: SimpleQueue[Decoder] = SimpleQueue()
        for _ in range(count):
            self._free.put(self._stack.enter_context(Decoder(max_pixels=max_pixels, thumbnails=thumbnails)))
        self._threads = self._stack.enter_context(ThreadPoolExecutor(count))

    def __enter__(self) -> Decoders:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def read(self, files: list[UploadedFile], contents: UploadContents, turn: TimeSlice) -> list[Outcome]:
        """Return the outcome of each file, None for those that are left when the turn is over.

        At least one is read: files that take as long as they may do not hold up other uploads, nor this one.
        """
        first = files[0].pk

        def one(file: UploadedFile) -> Outcome:
            return None if turn.is_over and file.pk != first else self._read(file, contents)

        return list(self._threads.map(one, files))

    def _read(self, file: UploadedFile, contents: UploadContents) -> Outcome:
        try:
            whole = contents.read(file)
        except UnreadableImage as error:
            return error.reason
        except OSError as error:
            check_machine(error)
            return f"it cannot be read: {error.strerror or error}"
        decoder = self._free.get()
        try:
            facts = decoder.decode(whole) if file.scaled_from is None else decoder.check_scaled(whole)
        except TooManyPixels as error:
            return error
        except UnreadableImage as error:
            return error.reason
        finally:
            self._free.put(decoder)
        keep_thumbnail(file, facts.thumbnail)
        return facts


def _guess(upload: Upload) -> None:
    """Choose a pattern if none is set, and keep other matching ones for the page."""
    if upload.pattern or not placed(upload).exists():
        return
    names = placed(upload).order_by("pk").values_list("name", flat=True)
    guesses = guess_patterns(names.iterator(1000))
    with write_transaction():
        current = Upload.objects.select_for_update().get(pk=upload.pk)
        upload.choices = {**current.choices, "guesses": guesses}
        upload.pattern = current.pattern or (guesses[0] if guesses else "")
        Upload.objects.filter(pk=upload.pk).update(choices=upload.choices, pattern=upload.pattern)
