"""Files of annotations as a kind of rows about images: what a check shows, and what storing does.

Each becomes a submitted annotation or, with an origin, the reference of its image.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from annotator.exchange.annotation_files import Checked, Progress, check_annotations, store_checked
from annotator.exchange.formats.report import RowNote
from annotator.exchange.formats.sheet import NOTHING_READABLE
from annotator.exchange.image_rows import CheckedRows, RowsKind, Stored
from annotator.exchange.reference_files import as_references, store_references
from annotator.models import Project, Reference, User
from annotator.models.work import DEFAULT_PROTOCOL

TERMS: Final = "Terms that cannot be read"
WARNINGS: Final = "Warnings"


def check_answers(
    path: Path,
    project: Project,
    *,
    protocol: str = DEFAULT_PROTOCOL,
    convert: bool = False,
    origin: str = "",
) -> CheckedRows[Checked]:
    """Read a file and check every row; raises as `check_annotations` and, with an origin, `as_references`."""
    checked = check_annotations(path, project=project, protocol=protocol, convert=convert)
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
        remarks={TERMS: tuple(_terms(checked)), WARNINGS: tuple(_warnings(checked))},
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


def _terms(checked: Checked) -> list[RowNote]:
    """Return the terms that cannot be read, with what they may mean."""
    return [RowNote(term.row, term.column, term.text, term.meaning) for term in checked.findings]


def _warnings(checked: Checked) -> list[RowNote]:
    """Return the warnings that are not on such terms."""
    told = {problem for row in checked.sheet.rows for problem in row.problems}
    return [note for note in checked.sheet.warnings if note.reason != NOTHING_READABLE and note not in told]


ANNOTATIONS: Final = RowsKind(
    slug="answers",
    title="annotations",
    columns="The study's sheet, a marks file or a rating sheet, at most 50 MB. Files that contain only "
    "scores cannot be imported, because marks cannot be derived from scores.",
    page="project",
    section="overview",
    check=check_answers,
    store=store_answers,
    check_options=("protocol", "convert", "origin"),
    store_options=("origin", "doubles"),
)
