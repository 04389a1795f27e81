"""Jobs that read files of annotations or of rows about images and, once a lead confirms, store them.

The job of a reading holds the path of the file and what the file would store.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, Final
from uuid import UUID, uuid4

from django.core.files.storage import default_storage
from django.urls import reverse

from annotator.exchange.annotation_files import ANNOTATIONS
from annotator.exchange.face_rows import FACES
from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.image_rows import CheckedRows, RowsKind
from annotator.exchange.suggestion_rows import SUGGESTIONS
from annotator.images.decoding import content_hash
from annotator.images.storage import save_whole
from annotator.inputs.refusal import Refusal
from annotator.models import Job, Project, User
from annotator.work.jobs import JobRefused, Steps, request_job
from annotator.work.kinds import runs
from annotator.work.machine_faults import check_machine

LISTED: Final = 200
"""Rejected rows, and remarks of each kind, listed by a reading; more are only counted."""

ANSWERS_FOLDER: Final = "answers"
"""Folder in the storage, with one subfolder per project, until `annotator.uploads.sweeping` cleans up."""

_LONGEST_NAME: Final = 100
_LONGEST_TEXT: Final = 200
_LONGEST_REASON: Final = 1_000

_KINDS: Final[dict[str, RowsKind[Any]]] = {}


def register_kinds() -> None:
    """Register files of annotations and of rectangles around faces; other packages add their own kinds."""
    add_kind(ANNOTATIONS)
    add_kind(FACES)
    add_kind(SUGGESTIONS)


def add_kind(kind: RowsKind[Any]) -> None:
    """Register a kind and its jobs, in `AppConfig.ready`."""
    _KINDS[kind.slug] = kind
    reading, storing = partial(run_reading, kind), partial(run_storing, kind)
    title = kind.title
    runs(kind.reading, title=f"Check of {title}", reads_files=True, section=kind.section)(reading)
    runs(kind.storing, title=f"Import of {title}", reads_files=True, section=kind.section)(storing)


def rows_kind(slug: str) -> RowsKind[Any]:
    """Return the kind of this slug; raises KeyError."""
    return _KINDS[slug]


def request_reading(
    *,
    project: Project,
    name: str,
    contents: bytes,
    actor: User | None,
    kind: RowsKind[Any] = ANNOTATIONS,
    request_key: UUID | None = None,
    **said: Any,
) -> Job:
    """Store a file and request a job that reads it; `said` are options of the kind, empty texts aside.

    Raises JobRefused if the key belongs to another request, OSError if the storage is full.
    """
    # Valid on any file system, and the same for the same file.
    last = printable(PurePath(name).name).encode()[-_LONGEST_NAME:].decode(errors="ignore")
    shown = last if last.strip(". ") else "answers"
    stored = f"{ANSWERS_FOLDER}/{project.pk}/{uuid4().hex}"
    save_whole(stored, contents)
    data = {
        "file": stored,
        "name": shown,
        "bytes": len(contents),
        "sha256": content_hash(contents),
        "back": [reverse("import_rows", args=[project.slug, kind.slug]), "Choose another file"],
        **{option: said[option] for option in kind.options if option in said and said[option] != ""},
    }
    try:
        job = request_job(
            project=project,
            kind=kind.reading,
            data=data,
            actor=actor,
            request_key=request_key,
            about="sha256",
        )
    except JobRefused:
        default_storage.delete(stored)
        raise
    if job.data["file"] != stored:
        # A repeated request reads the file of the first one.
        default_storage.delete(stored)
    return job


def request_storing(
    *,
    reading: Job,
    actor: User | None,
    request_key: UUID | None = None,
    kind: RowsKind[Any] = ANNOTATIONS,
) -> Job:
    """Request a job that stores a reading."""
    address = reading_address(kind, reading)
    data = {**reading.data, "reading": reading.pk, "back": [address, "Back to the file"]}
    return request_job(
        project=reading.project,
        kind=kind.storing,
        data=data,
        actor=actor,
        request_key=request_key,
        about="reading",
    )


def reading_address(kind: RowsKind[Any], reading: Job) -> str:
    """Return the address of the page that shows a file that was read."""
    return reverse("rows_reading", args=[reading.project.slug, kind.slug, reading.pk])


def run_reading(kind: RowsKind[Any], job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `file` and `name`; its result is what the file would store."""
    checked = _checked(kind, job)
    steps(1, 1)
    counts = {**checked.counts, "Rejected rows": len(checked.refused)}
    counted = " ".join(f"{title}: {count:,}." for title, count in counts.items())
    return {
        "url": reading_address(kind, job),
        "words": f"{counted} Nothing is stored until you confirm.",
        "rows": {
            "file": checked.name,
            "counts": [list(entry) for entry in counts.items()],
            "can_be_stored": checked.can_be_stored,
            "accepted": checked.accepted,
            "refused": listed(checked.refused),
            "remarks": [[title, len(notes), listed(notes)] for title, notes in checked.remarks.items()],
            "newcomers": list(checked.newcomers[:LISTED]),
            "not_read": [cut(heading) for heading in checked.not_read[:LISTED]],
            "shown": checked.shown,
        },
    }


def run_storing(kind: RowsKind[Any], job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data of a reading: store what can be used of the file, or all of it or nothing."""
    checked = _checked(kind, job)
    if checked.accepted is None:
        steps(1, 2)
    try:
        stored = kind.store(checked, job.project, job.requested_by, steps, **_said(job, kind.store_options))
    except Refusal as refused:
        raise JobRefused(printable(str(refused)), refused.code) from refused
    page = reverse(kind.page, args=[job.project.slug])
    return {"url": page, "words": stored.words, "refused": listed(stored.refused)}


def _checked(kind: RowsKind[Any], job: Job) -> CheckedRows[Any]:
    with kept_file(job) as path, refusals_of_files():
        return kind.check(path, job.project, **_said(job, kind.check_options))


def _said(job: Job, options: Iterable[str]) -> dict[str, Any]:
    return {option: job.data[option] for option in options if option in job.data}


@contextmanager
def refusals_of_files() -> Iterator[None]:
    """Raise JobRefused for a file that is refused or that the server could not read.

    Raises MachineAtFault if the fault may be temporary.
    """
    try:
        yield
    except StudyRefused as refused:
        raise JobRefused(printable(str(refused)), refused.code) from refused
    except OSError as error:
        check_machine(error)
        raise JobRefused(
            f"The server could not start the process that reads files ({error.strerror or error}). "
            "Upload the file again in a few minutes."
        ) from error


def cut(text: str, most: int = _LONGEST_TEXT) -> str:
    """Return the beginning of a text, with an ellipsis if that is not all."""
    return text if len(text) <= most else f"{text[:most]}…"


def listed(notes: Iterable[RowNote]) -> list[dict[str, Any]]:
    """Return the first remarks as JSON values."""
    return [
        {
            "row": note.row,
            "column": cut(note.column, _LONGEST_REASON),
            "text": cut(note.text),
            "reason": cut(note.reason, _LONGEST_REASON),
        }
        for note in islice(notes, LISTED)
    ]


@contextmanager
def kept_file(job: Job) -> Iterator[Path]:
    """Yield the file under its own name, in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / PurePath(job.data["name"]).name
        try:
            with default_storage.open(job.data["file"]) as stored, path.open("wb") as copy:
                shutil.copyfileobj(stored, copy)
        except FileNotFoundError as error:
            raise JobRefused("The file was deleted after a month. Upload it again.") from error
        except OSError as error:
            check_machine(error)
            raise JobRefused(f"The file cannot be opened: {error.strerror or error}.") from error
        yield path
