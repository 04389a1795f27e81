"""Import a completed queue sheet: submit its rows without overwriting annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast
from uuid import NAMESPACE_URL, uuid5

from annotator.annotations.saving import Conflict, InvalidPayload, submit_annotation
from annotator.database.transactions import write_transaction
from annotator.exchange.formats.completed_sheet import ASSIGNMENT
from annotator.exchange.formats.report import RowNote, StudyImport, StudyRefused
from annotator.exchange.formats.rows import MatchedRow, refusal, same_annotation
from annotator.exchange.formats.sheet import Sheet, SheetRow
from annotator.exchange.queue_sheet import identity
from annotator.exchange.storing import said_by, said_by_payload
from annotator.models import Annotation, Assignment, Batch, Event, Membership, Project, User
from annotator.protocols.registry import counted_cells_of, page_of
from scoring.service import get_protocol

_CHUNK: Final = 500
_ANSWERS: Final = ("marks", "cells", "no_errors")
"""The keys of a payload that the sheet holds."""
_SHOWN: Final = 60


def match_queue(
    sheet: Sheet, project: Project, *, annotator: Membership | None = None
) -> tuple[list[MatchedRow], list[RowNote]]:
    """Return the rows that match an assignment of the project, and the others with reasons.

    With an `annotator`, only their own rows match; other annotators' rows look like unknown ones.
    Raises StudyRefused for the queue of another project, or if no row is the annotator's.
    """
    _check_project(sheet, project)
    assignments = _assignments(sheet.rows, project)
    if annotator is not None:
        assignments = {pk: each for pk, each in assignments.items() if each.annotator_id == annotator.pk}
        if sheet.rows and not assignments:
            raise StudyRefused(
                f"{sheet.name} is not your queue: none of its {len(sheet.rows):,} completed rows is assigned "
                f"to you in {project.name}. Upload a sheet that you downloaded from your own queue."
            )
    matched: list[MatchedRow] = []
    refused: list[RowNote] = []
    seen: dict[str, SheetRow] = {}
    for row in sheet.rows:
        assignment = assignments.get(_number(row))
        if assignment is None or identity(assignment, project.slug) != row.identity:
            reason = f"unknown assignment “{row.identity[:_SHOWN]}”: restore column A"
            refused.append(refusal(row, ASSIGNMENT, reason))
            continue
        told = _read(replace(row, annotator=assignment.annotator.code), assignment)
        reason = _objection(told, assignment, seen.setdefault(row.identity, told))
        if reason:
            refused.append(refusal(told, ASSIGNMENT, reason))
        else:
            matched.append(MatchedRow(told, assignment.image_id))
    return matched, refused


def _read(row: SheetRow, assignment: Assignment) -> SheetRow:
    """Return the row with its cells read under the protocol of its sheet."""
    notation = page_of(assignment.batch.protocol).sheet
    if notation is None or notation.reader is None:
        return row
    reading = notation.reader.read(row.cells)
    problems = tuple(RowNote(row.number_in_file, *problem) for problem in reading.problems)
    return replace(row, payload=reading.payload, problems=problems)


def _check_project(sheet: Sheet, project: Project) -> None:
    slugs = {row.identity.partition("/")[0] for row in sheet.rows if "/" in row.identity}
    if slugs and project.slug not in slugs:
        found = ", ".join(sorted(slugs)[:3])[:_SHOWN]
        raise StudyRefused(
            f"{sheet.name} is a queue of the project “{found}”, but this is {project.name} "
            f"(“{project.slug}”). Import it there."
        )


def _number(row: SheetRow) -> int:
    digits = row.identity.split("/")[1:2]
    return int(digits[0]) if digits and digits[0].isdecimal() and len(digits[0]) < 19 else 0


def _assignments(rows: Iterable[SheetRow], project: Project) -> dict[int, Assignment]:
    numbers = sorted({_number(row) for row in rows})
    found: dict[int, Assignment] = {}
    for start in range(0, len(numbers), _CHUNK):
        asked = Assignment.objects.filter(
            pk__in=numbers[start : start + _CHUNK], batch__project=project
        ).exclude(batch__status=Batch.Status.PREPARING)
        related = asked.select_related("image", "batch__project", "annotator", "annotation")
        found |= {assignment.pk: assignment for assignment in related}
    return found


def _objection(row: SheetRow, assignment: Assignment, first: SheetRow) -> str:
    """Return why a row cannot be submitted; empty if it can, or if it is already stored."""
    annotation = stored(assignment)
    if first is not row:
        if same_annotation(first, row):
            return f"a duplicate of row {first.number_in_file}"
        return f"row {first.number_in_file} differs for the same image"
    if annotation is not None and annotation.status == Annotation.Status.SUBMITTED:
        if _says(row, assignment, annotation):
            return ""
        return "a different annotation of this image was submitted in the meantime; it was not overwritten"
    if assignment.image.goes_at is not None:
        return "this image is being deleted"
    if assignment.status == Assignment.Status.WITHDRAWN:
        return "this image was reassigned"
    if assignment.status == Assignment.Status.SKIPPED:
        return "this image was skipped; resume it first"
    if assignment.batch.status != Batch.Status.OPEN:
        return f"the batch “{assignment.batch.name}” is closed"
    if annotation is not None and _begun(annotation, assignment):
        return "this image has a draft, which was not overwritten; submit or clear it first"
    return ""


def _says(row: SheetRow, assignment: Assignment, annotation: Annotation) -> bool:
    """Return whether a row equals the stored annotation, as far as a sheet can hold it."""
    notation = page_of(assignment.batch.protocol).sheet
    if notation is None or notation.reader is None:
        return said_by(row) == said_by_payload(annotation.payload, assignment.batch.protocol)
    if row.payload is None:
        return False
    return notation.reader.write(dict(row.payload)) == notation.reader.write(annotation.payload)


def _begun(annotation: Annotation, assignment: Assignment) -> bool:
    """Return whether a draft has content that the sheet would overwrite."""
    empty = get_protocol(assignment.batch.protocol).empty()
    return any(annotation.payload.get(name) != empty[name] for name in empty if name in _ANSWERS)


def annotated_already(matched: Sequence[MatchedRow], project: Project) -> set[int]:
    """Return the numbers of the rows that are already submitted identically."""
    assignments = _assignments((match.row for match in matched), project)
    found = {pk: stored(each) for pk, each in assignments.items()}
    return {
        match.row.number_in_file
        for match in matched
        if (annotation := found.get(_number(match.row))) is not None
        and annotation.status == Annotation.Status.SUBMITTED
    }


def stored(assignment: Assignment) -> Annotation | None:
    """Return the annotation prefetched with an assignment."""
    return getattr(assignment, "annotation", None)


def store_queue(
    matched: Sequence[MatchedRow],
    *,
    project: Project,
    file: str,
    actor: User | None,
    report: StudyImport,
    step: Callable[[], None],
) -> None:
    """Submit each fully readable row in its own transaction; idempotent.

    A row with an unreadable term is listed and stays in the queue.
    """
    for start in range(0, len(matched), _CHUNK):
        chunk = matched[start : start + _CHUNK]
        assignments = _assignments((match.row for match in chunk), project)
        for match in chunk:
            _store(match.row, assignments[_number(match.row)], file, actor, report)
            step()


def _store(row: SheetRow, assignment: Assignment, file: str, actor: User | None, report: StudyImport) -> None:
    annotation = stored(assignment)
    if annotation is not None and annotation.status == Annotation.Status.SUBMITTED:
        report.annotations_existing += 1
        return
    if row.problems:
        problem = row.problems[0]
        reason = f"“{problem.text[:_SHOWN]}”: {problem.reason}; the image stays in the queue"
        report.unmatched_rows.append(refusal(row, problem.column, reason))
        return
    try:
        with write_transaction():
            _submit(row, assignment, actor, annotation)
            _record(row, assignment, file, actor)
    except (Conflict, InvalidPayload) as error:
        report.unmatched_rows.append(refusal(row, ASSIGNMENT, f"rejected: {error}"))
        return
    report.annotations_added += 1


def _submit(row: SheetRow, assignment: Assignment, actor: User | None, annotation: Annotation | None) -> None:
    cells = ";".join(f"{heading}={text}" for heading, text in row.cells.items())
    version = annotation.version if annotation else 0
    counted = counted_cells_of(assignment.batch.protocol) if row.payload is None else None
    submit_annotation(
        assignment=assignment,
        # A command has no user, so the Event has no actor.
        actor=cast(User, actor),
        payload=row.payload if counted is None else counted.payload(row.terms, row.says_no_errors),
        replaces=version,
        # After a killed worker, the row is the same request; after a reopening, a new one.
        request_key=uuid5(NAMESPACE_URL, f"{row.identity}?{cells}#{version}"),
    )


def _record(row: SheetRow, assignment: Assignment, file: str, actor: User | None) -> None:
    data: dict[str, int | str | Mapping[str, str]] = {"file": file, "row": row.number_in_file}
    if row.originals:
        data["repaired"] = dict(row.originals)
    Event.objects.create(
        project=assignment.batch.project, assignment=assignment, actor=actor, verb="imported", data=data
    )
