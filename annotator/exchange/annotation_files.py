"""Import annotations made elsewhere: read them, check them against the project, and store them.

Files of annotations are a kind of rows about images. Each row becomes a submitted annotation or, with an
origin, the reference of its image.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Final

from annotator.database.transactions import write_transaction
from annotator.exchange.child_process import read_in_child
from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import RowNote, StudyImport, StudyRefused
from annotator.exchange.formats.sheet import NOTHING_READABLE, Sheet, SheetRow
from annotator.exchange.image_rows import CheckedRows, RowsKind, Stored
from annotator.exchange.reference_files import as_references, store_references
from annotator.exchange.rows import Checked, MatchedRow, match_rows, naming_of_row
from annotator.exchange.storing import store_annotations
from annotator.exchange.which_image import ImageIndex, store_image_ids
from annotator.models import Event, Membership, Project, Reference, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.registry import sheet_reader_of
from annotator.protocols.sheet_format import SheetReader

Progress = Callable[[int, int], None]
"""Called with the rows done and their number."""


def check_annotations(
    path: Path,
    *,
    project: Project,
    protocol: str = DEFAULT_PROTOCOL,
) -> Checked:
    """Read a file with rows of a protocol and check it against the project.

    Raises StudyRefused if the file cannot be used or matches no image of the project; OSError if no process
    can be started to read it.
    """
    sheet = read_answers(path, protocol=protocol)
    checked = checked_against(sheet, project, protocol=protocol)
    if sheet.rows and not checked.knows_images:
        raise StudyRefused(_of_another_project(sheet, project))
    return checked


def read_answers(path: Path, *, protocol: str = DEFAULT_PROTOCOL) -> Sheet:
    """Read a file as `check_annotations` does, without its project."""
    reader = sheet_reader_of(protocol)
    sheet: Sheet
    if reader is None:
        sheet = read_in_child("answers", path)
        return sheet
    sheet = read_in_child("answers", path, raw=True, own=reader.headings)
    return read_as(sheet, reader)


def checked_against(sheet: Sheet, project: Project, *, protocol: str = DEFAULT_PROTOCOL) -> Checked:
    """Match the rows of a file to the images of a project."""
    index = ImageIndex(project)
    matched, refused = match_rows(sheet.rows, index)
    return Checked(
        sheet,
        tuple(matched),
        tuple(sorted((*sheet.refused, *refused), key=lambda note: note.row or 0)),
        tuple(problem for row in sheet.rows for problem in row.problems),
        _newcomers(matched, project),
        protocol,
        any(index.knows(naming_of_row(row)) for row in sheet.rows),
    )


def store_checked(
    checked: Checked,
    *,
    project: Project,
    shown: Collection[str] | None = None,
    doubles: str | None = None,
    actor: User | None = None,
    progress: Progress | None = None,
) -> StudyImport:
    """Store the accepted rows; idempotent. `shown` and `doubles` as in `store_annotations`.

    Unreadable terms are kept with their annotation as written. Raises StudyRefused if the project's weights
    are not numbers.
    """
    try:
        _ = project.exact_weights
    except ValueError as error:
        raise StudyRefused(f"The severity weights of {project.slug} cannot be used: {error}") from error
    sheet = checked.sheet
    report = StudyImport(
        rejected_terms=list(sheet.rejected_terms),
        warnings=list(sheet.warnings),
        unmatched_rows=list(checked.refused),
    )
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, len(checked.matched))

    store_annotations(
        checked.matched,
        project=project,
        file=sheet.name,
        actor=actor,
        report=report,
        step=step,
        protocol=checked.protocol,
        shown=shown,
        doubles=doubles,
    )
    report.unmatched_rows.sort(key=lambda note: note.row or 0)
    _record(checked, report, project, actor)
    return report


def _record(checked: Checked, report: StudyImport, project: Project, actor: User | None) -> None:
    if not report.annotations_added:
        return
    store_image_ids(project)
    data = {
        "file": checked.sheet.name,
        "annotations": report.annotations_added,
    }
    with write_transaction():
        Event.objects.create(project=project, actor=actor, verb="answers_imported", data=data)


def _of_another_project(sheet: Sheet, project: Project) -> str:
    row = sheet.rows[0]
    named = printable((row.picture or f"{row.generator}, {row.prompt}, {row.number}")[:200])
    return (
        f"{sheet.name} matches no image of {project.name}: not one of its {len(sheet.rows)} rows "
        f"(row {row.number_in_file}: {named}). Choose the right project, or upload the images first."
    )


def _newcomers(matched: list[MatchedRow], project: Project) -> tuple[str, ...]:
    codes = {match.row.annotator for match in matched}
    known = Membership.objects.filter(project=project).values_list("code", flat=True)
    return tuple(sorted(codes - set(known)))


def read_as(sheet: Sheet, reader: SheetReader) -> Sheet:
    """Return a sheet of raw cells with payloads; other rows are refused with a reason per cell."""
    rows: list[SheetRow] = []
    refused: list[RowNote] = []
    for row in sheet.rows:
        reading = reader.read(row.cells)
        if reading.payload is not None:
            rows.append(replace(row, payload=reading.payload))
        refused += [RowNote(row.number_in_file, *problem) for problem in reading.problems]
    return replace(sheet, rows=tuple(rows), refused=(*sheet.refused, *refused))


TERMS: Final = "Terms that cannot be read"
WARNINGS: Final = "Warnings"


def check_answers(
    path: Path,
    project: Project,
    *,
    protocol: str = DEFAULT_PROTOCOL,
    origin: str = "",
) -> CheckedRows[Checked]:
    """Read a file and check every row; raises as `check_annotations` and, with an origin, `as_references`."""
    checked = check_annotations(path, project=project, protocol=protocol)
    if origin:
        checked = as_references(checked, project)
    return CheckedRows(
        checked.sheet.name,
        checked,
        {
            "Accepted rows": len(checked.matched),
            TERMS: len(checked.findings),
            "New annotators": len(checked.newcomers),
        },
        checked.refused,
        accepted=len(checked.matched),
        remarks={TERMS: checked.findings, WARNINGS: tuple(_warnings(checked))},
        newcomers=checked.newcomers,
    )


def store_answers(
    rows: CheckedRows[Checked],
    project: Project,
    actor: User | None,
    progress: Progress | None = None,
    *,
    origin: str = "",
    doubles: str | None = None,
) -> Stored:
    """Store the accepted rows; raises StudyRefused as `store_checked` and `store_references` do."""
    if origin:
        made = store_references(
            rows.found, project=project, origin=Reference.Origin(origin), actor=actor, progress=progress
        )
        return Stored(
            f"References: {made.added:,} added, {made.explained:,} with new rationales, "
            f"{made.existing:,} already stored. Rejected rows: {len(made.refused):,}.",
            made.refused,
        )
    report = store_checked(rows.found, project=project, doubles=doubles, actor=actor, progress=progress)
    return Stored(
        f"Annotations: {report.annotations_added:,} added, {report.annotations_existing:,} already stored. "
        f"Rejected rows: {len(report.unmatched_rows):,}. "
        f"Unreadable terms kept: {len(report.rejected_terms):,}.",
        report.unmatched_rows,
    )


def _warnings(checked: Checked) -> list[RowNote]:
    """Return the warnings that are not on such terms."""
    told = {problem for row in checked.sheet.rows for problem in row.problems}
    return [note for note in checked.sheet.warnings if note.reason != NOTHING_READABLE and note not in told]


ANNOTATIONS: Final = RowsKind(
    slug="answers",
    title="annotations",
    columns="The study's sheet or a rating sheet, at most 50 MB; not the files of scores or marks.",
    page="project",
    section="overview",
    check=check_answers,
    store=store_answers,
    check_options=("protocol", "origin"),
    store_options=("origin", "doubles"),
)
