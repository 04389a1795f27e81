"""Import a study folder: read it completely, then store it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from annotator.database.transactions import write_transaction
from annotator.exchange.child_process import read_in_child
from annotator.exchange.formats.csv_tables import table_in
from annotator.exchange.formats.manifest import (
    ManifestEntry,
    find_manifest,
    find_prompt_groups,
    read_prompt_groups,
)
from annotator.exchange.formats.report import RejectedFile, RowNote, StudyImport, StudyRefused
from annotator.exchange.formats.sheet import Sheet
from annotator.exchange.matching import MatchedFile, Spelling, place_files
from annotator.exchange.rows import match_rows
from annotator.exchange.storing import store_annotations
from annotator.exchange.study_files import find_files, study_folder
from annotator.exchange.study_images import StoredFile, respell, store_images
from annotator.exchange.which_image import ImageIndex
from annotator.models import Event, Project, User

Progress = Callable[[int, int], None]
"""Called with the steps done and the total: one step per file and per row."""


@dataclass(frozen=True)
class Study:
    """The checked content of a folder."""

    folder: Path
    placements: tuple[MatchedFile, ...]
    rejected: tuple[RejectedFile, ...]
    notes: tuple[RowNote, ...]
    entries: dict[str, ManifestEntry]
    sheet: Sheet | None

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.placements) + (len(self.sheet.rows) if self.sheet else 0)


def read_study(
    folder: Path,
    *,
    annotations: Path | None = None,
    manifest: Path | None = None,
    prompt_groups: Path | None = None,
) -> Study:
    """Read a study's tables and find its files; by default the tables in the folder.

    Raises StudyRefused with the cause if nothing can be imported.
    """
    folder = study_folder(folder)
    sheet_path = annotations or table_in(folder, "data/annotations.csv")
    sheet: Sheet | None = _read("sheet", sheet_path) if sheet_path else None
    manifest_path = find_manifest(folder, manifest)
    entries: dict[str, ManifestEntry] = _read("study_manifest", manifest_path) if manifest_path else {}
    groups_path = find_prompt_groups(folder, prompt_groups)
    groups = _read("prompt_groups", groups_path) if groups_path else read_prompt_groups(None)
    files, rejected, entries = find_files(folder, entries)
    plan = place_files(files, entries, sheet.rows if sheet else (), groups)
    return Study(folder, plan.placements, (*rejected, *plan.rejected), plan.notes, entries, sheet)


def _read(reader: str, path: Path) -> Any:
    try:
        return read_in_child(reader, path)
    except OSError as error:
        raise StudyRefused(
            f"{path.name} cannot be read at the moment: {error.strerror or error}. Try again later."
        ) from error


def import_study(
    folder: Path,
    *,
    project: Project,
    annotations: Path | None = None,
    manifest: Path | None = None,
    prompt_groups: Path | None = None,
    shown: Collection[str] | None = None,
    doubles: str | None = None,
    actor: User | None = None,
    progress: Progress | None = None,
) -> StudyImport:
    """Import a folder's images and annotations into a project; idempotent.

    `shown` and `doubles` as in `store_annotations`; None: unknown.
    Raises StudyRefused if nothing can be imported, with nothing stored; or if the storage is full, with all
    stored images and annotations complete, so that another run resumes.
    """
    study = read_study(folder, annotations=annotations, manifest=manifest, prompt_groups=prompt_groups)
    return store_study(study, project=project, shown=shown, doubles=doubles, actor=actor, progress=progress)


def store_study(
    study: Study,
    *,
    project: Project,
    shown: Collection[str] | None = None,
    doubles: str | None = None,
    actor: User | None = None,
    progress: Progress | None = None,
) -> StudyImport:
    """Store a study that was read. `shown`, `doubles` and StudyRefused as in `import_study`."""
    check_weights(project)
    report = StudyImport(rejected_files=list(study.rejected), warnings=list(study.notes))
    step = _stepper(study.steps, progress)
    placements = _spelt(study, project, actor)
    stored = store_images(placements, project=project, actor=actor, report=report, step=step)
    if study.sheet is not None:
        store = partial(store_annotations, shown=shown, doubles=doubles)
        _store_sheet(study.sheet, stored, store, project=project, actor=actor, report=report, step=step)
    _record(study, report, project, actor)
    return report


def _store_sheet(
    sheet: Sheet,
    stored: list[StoredFile],
    store: Callable[..., None],
    *,
    project: Project,
    actor: User | None,
    report: StudyImport,
    step: Callable[[], None],
) -> None:
    report.rejected_terms = list(sheet.rejected_terms)
    report.warnings = [*sheet.warnings, *report.warnings]
    report.unmatched_rows = list(sheet.refused)
    matched, refused = match_rows(sheet.rows, ImageIndex(project))
    report.unmatched_rows += refused
    keys = {row.key for row in sheet.rows}
    report.unmatched_images = [
        file.shown for file in stored if file.number is None or (*file.place, file.number) not in keys
    ]
    store(matched, project=project, file=sheet.name, actor=actor, report=report, step=step)
    report.unmatched_rows.sort(key=lambda note: note.row or 0)


def _spelt(study: Study, project: Project, actor: User | None) -> list[MatchedFile]:
    """Apply the tables' spelling to the project and return the placements in it."""
    said = Spelling()
    for row in study.sheet.rows if study.sheet else ():
        said.add(row.generator, row.prompt)
    for entry in study.entries.values():
        said.add(entry.generator, entry.prompt)
    respell(project, said, actor)
    known = Spelling()
    for generator, prompt in project.images.order_by().values_list("generator", "prompt").distinct():
        known.add(generator, prompt)
    return [placement.spelt(known) for placement in study.placements]


def _record(study: Study, report: StudyImport, project: Project, actor: User | None) -> None:
    if not (report.images_added or report.annotations_added):
        return
    data = {
        "folder": study.folder.name,
        "file": study.sheet.name if study.sheet else "",
        "images": report.images_added,
        "annotations": report.annotations_added,
    }
    with write_transaction():
        Event.objects.create(project=project, actor=actor, verb="study_imported", data=data)


def check_weights(project: Project) -> None:
    """Raise StudyRefused if the project's severity weights are not numbers."""
    try:
        _ = project.exact_weights
    except ValueError as error:
        raise StudyRefused(f"The severity weights of {project.slug} cannot be used: {error}") from error


def _stepper(total: int, progress: Progress | None) -> Callable[[], None]:
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    return step
