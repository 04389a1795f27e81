"""An annotator's own completed sheet: checked by a worker, and submitted once its owner confirms.

The job of a reading belongs to its requester; storing reads the file again, so that annotations changed in
the meantime are reported, not overwritten.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from annotator.exchange.annotation_files import Checked, store_checked
from annotator.exchange.child_process import read_in_child
from annotator.exchange.completed_sheet_import import annotated_already, match_queue
from annotator.exchange.formats.completed_sheet import ends_raw
from annotator.exchange.formats.lint import suggested_cell
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import Sheet, SheetRow
from annotator.exchange.import_jobs import (
    LISTED,
    LONGEST_CELL,
    READ_OWN,
    cut,
    kept_file,
    listed,
    refusals_of_files,
    request_reading,
    request_storing,
    within_limits,
)
from annotator.models import Job, Membership, User
from annotator.work.jobs import JobRefused, Steps
from annotator.work.kinds import register
from annotator.work.leases import UNDER_WAY

STORE_OWN: Final = "store_own_sheet"


def register_kinds() -> None:
    """Register the jobs that read and store an annotator's own sheets."""
    register(READ_OWN, run_own_reading, title="Sheet check", reads_files=True)
    register(STORE_OWN, run_own_storing, title="Sheet import", reads_files=True)


def request_own_reading(
    *, member: Membership, name: str, contents: bytes, actor: User, request_key: UUID
) -> Job:
    """Store a sheet and request a job that reads it. Raises QuotaRefused, OSError as `request_reading`."""
    return request_reading(
        project=member.project,
        name=name,
        contents=contents,
        actor=actor,
        request_key=request_key,
        kind=READ_OWN,
    )


def request_own_storing(*, reading: Job, actor: User, request_key: UUID) -> Job:
    """Request a job that submits a reading; return an existing job if it is running or done.

    Raises QuotaRefused.
    """
    earlier = storing_of(reading)
    if earlier is not None and earlier.status in (*UNDER_WAY, Job.Status.DONE):
        return earlier
    return request_storing(
        reading=reading, actor=actor, request_key=request_key, kind=STORE_OWN, page="own_sheet_reading"
    )


def storing_of(reading: Job) -> Job | None:
    """Return the latest import of a reading."""
    jobs = Job.objects.filter(project=reading.project_id, kind=STORE_OWN, data__reading=reading.pk)
    return jobs.order_by("-pk").first()


def run_own_reading(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `file` and `name`; its result is the content of the sheet."""
    with kept_file(job) as path:
        member = _owner(job)
        facts = _reading(_checked(path, member), member)
    steps(1, 1)
    return {"words": "Nothing is stored until its owner confirms.", "reading": facts}


def run_own_storing(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data of a reading: submit the accepted rows."""
    with kept_file(job) as path:
        member = _owner(job)
        checked = _checked(path, member)
        try:
            report = store_checked(checked, project=member.project, actor=job.requested_by, progress=steps)
        except StudyRefused as refused:
            raise JobRefused(str(refused)) from refused
    return {
        "words": f"Images submitted: {report.annotations_added:,}. "
        f"Already submitted: {report.annotations_existing:,}. "
        f"Rejected rows: {len(report.unmatched_rows):,}.",
        "submitted": report.annotations_added,
        "before": report.annotations_existing,
        "refused": listed(report.unmatched_rows),
        "refused_count": len(report.unmatched_rows),
    }


def _owner(job: Job) -> Membership:
    """Return the requester's membership; raises if they left the project."""
    members = Membership.objects.filter(
        project=job.project_id, user=job.requested_by_id, is_active=True, user__is_active=True
    )
    member = members.filter(project__goes_at=None).select_related("project").first()
    if member is None:
        raise JobRefused("The owner of this sheet is no longer a member of the project. Nothing was stored.")
    return member


def _checked(path: Path, member: Membership) -> Checked:
    with refusals_of_files():
        sheet: Sheet = read_in_child("answers", path)
        if sheet.rows and not any(row.identity for row in sheet.rows):
            raise StudyRefused(
                f"{sheet.name} is not a queue sheet: the hidden column A names no images. "
                "Upload the sheet that you downloaded from your queue."
            )
        matched, refused = match_queue(sheet, member.project, annotator=member)
    notes = sorted((*sheet.refused, *refused), key=lambda note: note.row or 0)
    return Checked(sheet, tuple(matched), tuple(notes), (), ())


def _reading(checked: Checked, member: Membership) -> dict[str, Any]:
    before = annotated_already(checked.matched, member.project)
    fresh = [match.row for match in checked.matched if match.row.number_in_file not in before]
    ready = [row for row in fresh if not row.problems]
    unread = [_unreadable(row) for row in fresh if row.problems]
    refused = sorted((*checked.refused, *unread), key=lambda note: note.row or 0)
    out = {note.row for note in refused}
    warnings = [note for note in checked.sheet.warnings if note.row is None or note.row not in out]
    return {
        "ready": within_limits(map(_shown, ready)),
        "ready_count": len(ready),
        "before": sorted(before)[:LISTED],
        "before_count": len(before),
        "refused": listed(refused),
        "refused_count": len(out),
        "warnings": listed(warnings),
        "warning_count": len(warnings),
    }


def _shown(row: SheetRow) -> dict[str, Any]:
    """Return a row for display: its position and its content."""
    cells = [[heading, cut(text)] for heading, text in row.cells.items()]
    return {"row": row.number_in_file, "image": cut(row.image_id), "cells": cells}


def _unreadable(row: SheetRow) -> RowNote:
    """Return a note on a row with its unreadable terms and their possible meanings."""
    perhaps: dict[str, str] = {}
    for column in dict.fromkeys(problem.column for problem in row.problems):
        text = row.cells[column]
        # Suggestions are terms of the sheet of counts.
        meant = "" if ends_raw(row.identity) or len(text) > LONGEST_CELL else suggested_cell(text)
        perhaps[column] = f" Did you mean {meant}?" if meant and meant != text else ""
    reasons = (
        f"“{cut(problem.text)}”: {cut(problem.reason)}.{perhaps[problem.column]}" for problem in row.problems
    )
    return RowNote(row.number_in_file, ", ".join(perhaps), row.image_id, " ".join(dict.fromkeys(reasons)))
