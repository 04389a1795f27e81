"""Import annotations made elsewhere: read them, check them against the project, and store them.

Files of annotations are a kind of rows about images. Each row becomes a submitted annotation or, with an
origin, the reference of its image.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from annotator.database.slices import slices
from annotator.database.transactions import write_transaction
from annotator.exchange.child_process import read_in_child
from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import RowNote, StudyImport, StudyRefused
from annotator.exchange.formats.sheet import NOTHING_READABLE, Sheet, SheetRow
from annotator.exchange.image_rows import CheckedRows, RowsKind, Stored
from annotator.exchange.rows import Checked, MatchedRow, agreed, checked_against, refusal
from annotator.exchange.storing import CHUNK as STORED_AT_ONCE
from annotator.exchange.storing import payload_of, store_annotations, stored_already
from annotator.exchange.which_image import store_image_ids
from annotator.models import Event, Project, Reference, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.registry import sheet_reader_of
from annotator.protocols.sheet_format import SheetReader
from annotator.training.references import (
    ReferenceRefused,
    active_references,
    add_reference,
    checked_rationales,
    checked_value,
    require_comparable,
    titles_of,
)

CHUNK: Final = 100
"""Rows per transaction at most."""
_DIFFERENT: Final = "the file has different values for this image (rows "
ORIGINS: Final = (Reference.Origin.IMPORTED, Reference.Origin.PLANTED)
_RATIONALE: Final = "Rationale "
"""Begins the heading of a column with the reasons for the values of a cell, such as `missing.limbs`."""


@dataclass
class ReferenceImport:
    """The outcome of an import: references added (also as new versions), with new rationales, and
    unchanged."""

    added: int = 0
    explained: int = 0
    existing: int = 0
    refused: list[RowNote] = field(default_factory=list)

    @property
    def did_nothing(self) -> bool:
        """Whether no row was usable."""
        return not (self.added or self.explained or self.existing)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON values of `import_answers --as imported`."""
        return {
            "references": {"added": self.added, "explained": self.explained, "existing": self.existing},
            "refused": [note.as_json() for note in self.refused],
        }


def as_references(checked: Checked, project: Project) -> Checked:
    """Return a checked file as references: its usable rows, one per image, and the others refused.

    A row is refused as a whole if a term is unreadable, because the reference would lack it. Raises
    StudyRefused if the file as a whole cannot be used.
    """
    protocol = checked.protocol
    try:
        require_comparable(protocol)
    except ReferenceRefused as error:
        raise StudyRefused(str(error), code=error.code) from error
    by_image: dict[int, list[SheetRow]] = defaultdict(list)
    refused = list(checked.refused)
    for match in checked.matched:
        notes = _faults(match.row, project, protocol)
        refused += notes
        if not notes:
            by_image[match.image_id].append(match.row)
    usable: list[MatchedRow] = []
    for image_id, rows in by_image.items():
        kept, notes = agreed(rows, "Image Id", _DIFFERENT, "): keep one of them")
        refused += notes
        if kept is not None:
            usable.append(MatchedRow(kept, image_id))
    usable.sort(key=lambda match: match.row.number_in_file)
    refused.sort(key=lambda note: note.row or 0)
    warnings = tuple(note for note in checked.sheet.warnings if note.reason != NOTHING_READABLE)
    sheet = replace(checked.sheet, warnings=warnings)
    return replace(checked, sheet=sheet, matched=tuple(usable), refused=tuple(refused), newcomers=())


def store_references(
    checked: Checked,
    *,
    project: Project,
    origin: Reference.Origin,
    actor: User | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ReferenceImport:
    """Store the usable rows of `as_references`; idempotent, also after a crash: each row is whole or missing.

    Raises StudyRefused if the project is being deleted or the actor no longer leads it.
    """
    outcome = ReferenceImport(refused=list(checked.refused))
    done = 0
    for chunk in slices(checked.matched, CHUNK):
        with write_transaction():
            made = _store(chunk, checked.protocol, project, origin, actor)
        # Counted after the commit, so that the outcome excludes rollbacks.
        outcome.added += made.added
        outcome.explained += made.explained
        outcome.existing += made.existing
        outcome.refused += made.refused
        if progress is not None:
            progress(done := done + len(chunk), len(checked.matched))
    outcome.refused.sort(key=lambda note: note.row or 0)
    return outcome


def _store(
    chunk: Sequence[MatchedRow],
    protocol: str,
    project: Project,
    origin: Reference.Origin,
    actor: User | None,
) -> ReferenceImport:
    made = ReferenceImport()
    # Imports are serialised here, as each reference that is added takes this row, too.
    held = Project.locked(project.pk)
    if held.goes_at is not None:
        raise StudyRefused("The project is being deleted. Undo the deletion, then import again.")
    ids = [match.image_id for match in chunk]
    images = {image.pk: image for image in held.images.filter(pk__in=ids)}
    before = {one.image_id: one for one in active_references(held, protocol).filter(image__in=ids)}
    for match in chunk:
        image = images.get(match.image_id)
        if image is None:
            reason = "the image was deleted in the meantime"
            made.refused.append(refusal(match.row, "", reason))
            continue
        image.project = held
        try:
            stored = add_reference(
                image=image,
                protocol=protocol,
                payload=payload_of(match.row, protocol),
                origin=origin,
                actor=actor,
                rationales=_rationales(match.row),
            )
        except ReferenceRefused as error:
            raise StudyRefused(str(error), code=error.code, row=match.row.number_in_file) from error
        earlier = before.get(image.pk)
        if earlier is None or earlier.pk != stored.pk:
            made.added += 1
        elif earlier.rationales != stored.rationales:
            made.explained += 1
        else:
            made.existing += 1
    return made


def rationale_headings(protocol: str) -> tuple[str, ...]:
    """Return the headings of the columns with the reasons for the values of a protocol's cells."""
    return tuple(f"{_RATIONALE}{key}" for key in titles_of(protocol))


def _rationales(row: SheetRow) -> dict[str, str]:
    """Return the reasons that a row gives by component."""
    return {heading.removeprefix(_RATIONALE): text for heading, text in row.rationales.items()}


def _faults(row: SheetRow, project: Project, protocol: str) -> list[RowNote]:
    """Return why a row cannot be a reference; empty if it can."""
    notes = [
        replace(problem, reason=f"{problem.reason}; every term of a reference must be readable")
        for problem in row.problems
    ]
    for key, text in _rationales(row).items():
        try:
            checked_rationales(protocol, {key: text})
        except ReferenceRefused as error:
            notes.append(RowNote(row.number_in_file, f"{_RATIONALE}{key}", text[:60], str(error)))
    if not notes:
        try:
            checked_value(project, protocol, payload_of(row, protocol))
        except ReferenceRefused as error:
            notes.append(refusal(row, "", str(error)))
    return notes


Progress = Callable[[int, int], None]
"""Called with the rows done and their number."""


def check_annotations(
    path: Path, *, project: Project, protocol: str = DEFAULT_PROTOCOL, rationales: bool = False
) -> Checked:
    """Read a file with rows of a protocol, as `read_answers` does, and check it against the project.

    Raises StudyRefused if the file cannot be used or matches no image of the project; OSError if no process
    can be started to read it.
    """
    sheet = read_answers(path, protocol=protocol, rationales=rationales)
    checked = checked_against(sheet, project, protocol=protocol)
    if checked.is_elsewhere:
        row = sheet.rows[0]
        named = printable((row.picture or f"{row.generator}, {row.prompt}, {row.number}")[:200])
        raise StudyRefused(
            f"{sheet.name} matches no image of {project.name}: not one of its {len(sheet.rows)} rows "
            f"(row {row.number_in_file}: {named}). Choose the right project, or upload the images first."
        )
    return checked


def read_answers(path: Path, *, protocol: str = DEFAULT_PROTOCOL, rationales: bool = False) -> Sheet:
    """Read a file as `check_annotations` does, without its project; with the columns of `rationales`."""
    reader = sheet_reader_of(protocol)
    how: dict[str, Any] = {"rationales": rationale_headings(protocol)} if rationales else {}
    if reader is not None:
        how |= {"raw": True, "own": reader.headings}
    sheet: Sheet = read_in_child("answers", path, **how)
    return sheet if reader is None else read_as(sheet, reader)


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
    store_annotations(
        checked.matched,
        project=project,
        file=sheet.name,
        actor=actor,
        report=report,
        progress=progress,
        protocol=checked.protocol,
        shown=shown,
        doubles=doubles,
    )
    report.unmatched_rows.sort(key=lambda note: note.row or 0)
    if report.annotations_added:
        store_image_ids(project)
        data = {"file": sheet.name, "annotations": report.annotations_added}
        with write_transaction():
            Event.objects.create(project=project, actor=actor, verb="answers_imported", data=data)
    return report


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


STORED: Final = "Already stored"
TERMS: Final = "Terms that cannot be read"
WARNINGS: Final = "Warnings"


def check_answers(
    path: Path,
    project: Project,
    *,
    protocol: str = DEFAULT_PROTOCOL,
    origin: str = "",
) -> CheckedRows[Checked]:
    """Read a file and check every row; raises as `check_annotations` and, with an origin, `as_references`.

    Rows that contradict a stored annotation are refused.
    """
    checked = check_annotations(path, project=project, protocol=protocol, rationales=bool(origin))
    existing = 0
    if origin:
        checked = as_references(checked, project)
    else:
        checked, existing = _compared(checked, project)
    return CheckedRows(
        checked.sheet.name,
        checked,
        {
            "Accepted rows": len(checked.matched),
            **({STORED: existing} if existing else {}),
            **({TERMS: len(checked.findings)} if checked.findings else {}),
            "New annotators": len(checked.newcomers),
        },
        checked.refused,
        accepted=len(checked.matched),
        remarks={TERMS: checked.findings, WARNINGS: tuple(_warnings(checked))},
        newcomers=checked.newcomers,
        not_read=checked.sheet.not_read,
    )


def _compared(checked: Checked, project: Project) -> tuple[Checked, int]:
    """Return a checked file without the rows that contradict stored annotations, and how many are stored."""
    known: dict[tuple[int, str], RowNote | None] = {}
    for chunk in slices(checked.matched, STORED_AT_ONCE):
        known |= stored_already(project, checked.protocol, chunk)
    notes = [note for note in known.values() if note is not None]
    refused = tuple(sorted([*checked.refused, *notes], key=lambda note: note.row or 0))
    rows = {note.row for note in notes}
    matched = tuple(match for match in checked.matched if match.row.number_in_file not in rows)
    return replace(checked, matched=matched, refused=refused), len(known) - len(notes)


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
    kept = f" Unreadable terms kept: {len(report.rejected_terms):,}." if report.rejected_terms else ""
    return Stored(
        f"Annotations: {report.annotations_added:,} added, {report.annotations_existing:,} already stored. "
        f"Rejected rows: {len(report.unmatched_rows):,}.{kept}",
        report.unmatched_rows,
    )


def _warnings(checked: Checked) -> list[RowNote]:
    """Return the warnings that are not on such terms."""
    told = {problem for row in checked.sheet.rows for problem in row.problems}
    return [note for note in checked.sheet.warnings if note.reason != NOTHING_READABLE and note not in told]


ANNOTATIONS: Final = RowsKind(
    slug="answers",
    title="annotations",
    columns="A sheet, as Export writes it, or a rating sheet, at most 50 MB. Scores and marks are not read.",
    page="project",
    section="overview",
    check=check_answers,
    store=store_answers,
    check_options=("protocol", "origin"),
    store_options=("origin", "doubles"),
)
