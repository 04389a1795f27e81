"""Jobs that read files of annotations and, once a lead confirms, store them.

The job of a reading holds the path of the file, the findings, and the repairs so far.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import Any, Final
from uuid import UUID, uuid4

from django.core.files.storage import default_storage
from django.urls import reverse

from annotator.database.transactions import write_transaction
from annotator.exchange.annotation_files import Checked, Repairs, check_annotations, store_checked
from annotator.exchange.doubles import AT_RANDOM
from annotator.exchange.formats.lint import UnreadableTerm, kinds_of, lint_row, suggested_cell
from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import NOTHING_READABLE, SheetRow
from annotator.exchange.reference_files import as_references, store_references
from annotator.images.decoding import content_hash
from annotator.images.storage import save_whole
from annotator.models import Job, Project, Reference, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.work.jobs import JobRefused, Steps, request_job
from annotator.work.kinds import register
from annotator.work.machine_faults import check_machine
from annotator.work.quota import require_room_for, require_turn

READ: Final = "read_answers"
STORE: Final = "store_answers"
KEPT_KINDS: Final = (READ, "read_faces", "read_detections", "read_metrics")
"""Jobs whose files are kept."""
LISTED: Final = 5_000
"""Cells, and rejected rows, listed by a reading; more are only counted."""

MOST_CHARACTERS: Final = 2_000_000
"""Of each of these lists, as JSON: every page that shows a reading loads all of it."""

LONGEST_CELL: Final = 400
"""Characters of a cell that can be repaired here; a longer one has to be corrected in the file."""

FINDINGS: Final = 20
"""Terms of one cell that a reading explains."""

ANSWERS_FOLDER: Final = "answers"
"""Folder in the storage, with one subfolder per project, until `annotator.uploads.sweeping` cleans up."""

_LONGEST_NAME: Final = 100
_LONGEST_TEXT: Final = 200
_LONGEST_REASON: Final = 1_000


def register_kinds() -> None:
    """Register the jobs that read and store annotations."""
    register(READ, run_reading, title="Annotation check", reads_files=True)
    register(STORE, run_storing, title="Annotation import", reads_files=True)


def request_reading(
    *,
    project: Project,
    name: str,
    contents: bytes,
    actor: User | None,
    protocol: str = DEFAULT_PROTOCOL,
    convert: bool = False,
    origin: str = "",
    doubles_random: bool = False,
    request_key: UUID | None = None,
    kind: str = READ,
) -> Job:
    """Store a file and request a job that reads it: `protocol` and `convert` as in `check_annotations`.

    With an `origin`, its annotations are to be references. `doubles_random`: images of several annotators
    were drawn at random.

    Raises QuotaRefused if the quota is exceeded, JobRefused if the key belongs to another request, OSError if
    the storage is full.
    """
    shown = _file_name(name)
    stored = f"{ANSWERS_FOLDER}/{project.pk}/{uuid4().hex}"
    known = request_key is not None and Job.objects.filter(request_key=request_key).exists()
    if not known:
        with write_transaction():  # refused before anything is written
            require_room_for(actor, len(contents), KEPT_KINDS)
    save_whole(stored, contents)
    about = {"file": stored, "name": shown, "bytes": len(contents), "sha256": content_hash(contents)}
    data = {
        **about,
        "repairs": [],
        "protocol": protocol,
        "convert": convert,
        **({"origin": origin} if origin else {}),
        **({"doubles": AT_RANDOM} if doubles_random else {}),
    }
    try:
        with write_transaction():
            if not known:
                require_room_for(actor, len(contents), KEPT_KINDS)
            job = request_job(
                project=project, kind=kind, data=data, actor=actor, request_key=request_key, about="sha256"
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
    kind: str = STORE,
    page: str = "",
) -> Job:
    """Request a job that stores a reading with its current repairs; raises QuotaRefused.

    `page` is the address of the page that shows the reading.
    """
    require_turn(actor)
    address = page or reverse("import_reading", args=[reading.project.slug, reading.pk])
    data = {**reading.data, "reading": reading.pk, "back": [address, "Back to the file"]}
    return request_job(
        project=reading.project,
        kind=kind,
        data=data,
        actor=actor,
        request_key=request_key,
        about="reading",
    )


def repairs_of(job: Job) -> dict[tuple[int, str], str]:
    """Return the repairs of a job."""
    return {(row, column): text for row, column, text in job.data["repairs"]}


def repair(*, reading: Job, repairs: Mapping[tuple[int, str], str | None]) -> Job:
    """Add repairs of cells to a reading; None removes one. Concurrent repairs are kept."""
    with write_transaction():
        current = Job.objects.select_for_update().get(pk=reading.pk)
        kept: dict[tuple[int, str], str | None] = {**repairs_of(current), **repairs}
        listed = [[row, column, text] for (row, column), text in kept.items() if text is not None]
        current.data = {**current.data, "repairs": listed}
        current.save(update_fields=["data"])
    return current


def suggestions_of(reading: Job, kinds: Collection[str] | None = None) -> Repairs:
    """Return the repairs suggested for the listed cells (of some kinds only), added to those made so far."""
    said = repairs_of(reading)
    cells = (reading.result or {})["reading"]["cells"]
    whole = {(cell["row"], cell["column"]): cell["text"] for cell in cells if not cell.get("cut")}
    texts = whole | said
    return {
        place: repaired for place, text in texts.items() if (repaired := suggested_cell(text, kinds)) != text
    }


def run_reading(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `file` and `name`; its result is the content of the file."""
    with kept_file(job) as path:
        checked = _checked(path, job)
    steps(1, 1)
    findings = len(checked.findings)
    return {
        "url": reverse("import_reading", args=[job.project.slug, job.pk]),
        "words": f"Accepted rows: {len(checked.matched):,}; rejected rows: {len(checked.refused):,}. "
        f"Unreadable terms: {findings:,}. Nothing is stored until you confirm.",
        "reading": _reading(checked),
    }


def run_storing(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data of a reading: store the accepted rows, with the repairs."""
    with kept_file(job) as path:
        checked = _checked(path, job, repairs_of(job))
        if "origin" in job.data:
            return _stored_references(checked, job, steps)
        try:
            report = store_checked(
                checked,
                project=job.project,
                doubles=job.data.get("doubles"),
                actor=job.requested_by,
                progress=steps,
            )
        except StudyRefused as refused:
            raise JobRefused(str(refused)) from refused
    words = (
        f"Annotations: {report.annotations_added:,} added, {report.annotations_existing:,} already stored. "
        f"Rejected rows: {len(report.unmatched_rows):,}. "
        f"Unreadable terms kept: {len(report.rejected_terms):,}."
    )
    return {
        "url": reverse("project", args=[job.project.slug]),
        "words": words,
        "refused": listed(report.unmatched_rows),
    }


def _stored_references(checked: Checked, job: Job, steps: Steps) -> Mapping[str, Any]:
    origin = Reference.Origin(job.data["origin"])
    try:
        made = store_references(
            checked, project=job.project, origin=origin, actor=job.requested_by, progress=steps
        )
    except StudyRefused as refused:
        raise JobRefused(str(refused)) from refused
    return {
        "url": f"{reverse('references', args=[job.project.slug])}?protocol={checked.protocol}",
        "words": f"References: {made.added:,} added, {made.explained:,} with new rationales, "
        f"{made.existing:,} already stored. Rejected rows: {len(made.refused):,}.",
        "refused": listed(made.refused),
    }


def _file_name(name: str) -> str:
    """Return a name valid on any file system, the same for the same file."""
    last = printable(PurePath(name).name).encode()[-_LONGEST_NAME:].decode(errors="ignore")
    return last if last.strip(". ") else "answers"


def _checked(path: Path, job: Job, repairs: Repairs | None = None) -> Checked:
    how = {name: job.data[name] for name in ("protocol", "convert")}
    with refusals_of_files():
        checked = check_annotations(path, project=job.project, repairs=repairs, **how)
        return as_references(checked, job.project) if "origin" in job.data else checked


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


def _reading(checked: Checked) -> dict[str, Any]:
    cells = chain.from_iterable(_cells(row) for row in checked.sheet.rows)
    # These are listed with the cells.
    told = {problem for row in checked.sheet.rows for problem in row.problems}
    warnings = [
        note for note in checked.sheet.warnings if note.reason != NOTHING_READABLE and note not in told
    ]
    return {
        "rows": len(checked.matched),
        "cells": within_limits(cells),
        "cell_count": sum(len({problem.column for problem in row.problems}) for row in checked.sheet.rows),
        "kinds": [list(kind) for kind in kinds_of(checked.findings)],
        "refused": listed(checked.refused),
        "refused_count": len(checked.refused),
        "warnings": listed(warnings),
        "warning_count": len(warnings),
        "newcomers": list(checked.newcomers[:LISTED]),
    }


def _cells(row: SheetRow) -> Iterator[dict[str, Any]]:
    """Yield the cells of a row that have an unreadable term, with what the page shows of them."""
    found: dict[str, list[UnreadableTerm]] = defaultdict(list)
    for finding in lint_row(row):
        found[finding.column].append(finding)
    for column in dict.fromkeys(problem.column for problem in row.problems):
        text = row.cells[column]
        too_long = len(text) > LONGEST_CELL
        yield {
            "row": row.number_in_file,
            "image": cut(row.image_id),
            "annotator": row.annotator,
            "column": column,
            "text": cut(text) if too_long else text,
            "suggested": cut(text) if too_long else suggested_cell(text),
            "findings": [
                {"text": cut(each.text), "meaning": cut(each.meaning)} for each in found[column][:FINDINGS]
            ],
            **({"cut": True} if too_long else {}),
        }


def cut(text: str, most: int = _LONGEST_TEXT) -> str:
    """Return the beginning of a text, with an ellipsis if that is not all."""
    return text if len(text) <= most else f"{text[:most]}…"


def within_limits(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first entries: at most LISTED, of at most MOST_CHARACTERS together."""
    kept: list[dict[str, Any]] = []
    characters = 0
    for entry in islice(entries, LISTED):
        characters += len(json.dumps(entry))
        if characters > MOST_CHARACTERS:
            break
        kept.append(entry)
    return kept


def listed(notes: Iterable[RowNote]) -> list[dict[str, Any]]:
    """Return the first remarks as JSON values, within limits."""
    return within_limits(
        replace(
            note,
            column=cut(note.column, _LONGEST_REASON),
            text=cut(note.text),
            reason=cut(note.reason, _LONGEST_REASON),
        ).as_json()
        for note in notes
    )


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
