"""Import a study's folder: its images as an upload of the folder, its annotations as any file of them.

The folder has images/GENERATOR/PROMPT/FILE, or a manifest, and data/annotations.csv.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import Any, Final

from annotator.database.transactions import write_transaction
from annotator.exchange.annotation_files import Progress, checked_against, read_answers, store_checked
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.published import MISNUMBERED, PROMPT_GROUPS, SHEET_SHA256
from annotator.exchange.formats.report import RejectedFile, StudyImport, StudyRefused
from annotator.exchange.formats.sheet import Sheet
from annotator.images.decoding import content_hash
from annotator.inputs.refusal import Refusal
from annotator.models import Project, Upload, UploadedFile, User
from annotator.uploads.from_server import close, read_now, store_now, upload_from
from annotator.uploads.naming import SPELLING, say
from annotator.uploads.naming import shown as shown_name
from annotator.uploads.status import save_rows

IMAGES: Final = "images"
SHEET: Final = "data/annotations.csv"
MANIFEST: Final = "manifest.csv"
_NUMBERED: Final = "{generator}/{prompt}/{*}{number}{*}"
_PLAIN: Final = "{generator}/{prompt}/{*}"
State: Final = UploadedFile.State


def import_study(
    folder: Path,
    *,
    project: Project,
    annotations: Path | None = None,
    manifest: Path | None = None,
    shown: Collection[str] | None = None,
    doubles: str | None = None,
    actor: User | None = None,
    progress: Progress | None = None,
) -> StudyImport:
    """Import a folder's images and annotations into a project; idempotent.

    `annotations` and `manifest` are used in place of those in the folder; `shown` and `doubles` as in
    `store_checked`; `progress` is told the rows that are stored. Raises StudyRefused if nothing can be
    imported, with nothing stored; or if the storage is full, so that another run resumes.
    """
    images = images_of(folder)
    sheet_path = annotations or _there(folder, SHEET)
    sheet = _sheet_of(sheet_path) if sheet_path else None
    rows = sheet.rows if sheet is not None else ()
    choices: dict[str, Any] = {SPELLING: sorted({(row.generator, row.prompt) for row in rows})}
    if (manifest := manifest or _there(folder, MANIFEST)) is not None:
        choices["manifest"] = str(manifest.absolute())
    known = dict(project.images.values_list("sha256", "pk"))
    try:
        upload = upload_from(
            project=project, source=str(images), pattern=_layout(images), choices=choices, below=f"{IMAGES}/"
        )
        if sheet_path is not None and _is_published(sheet_path):
            _say_published(upload)
        report = _stored(upload, actor, known)
    except Refusal as refused:
        raise StudyRefused(str(refused), code=refused.code) from refused
    if sheet is None:
        return report
    checked = checked_against(sheet, project)
    done = store_checked(
        checked, project=project, shown=shown, doubles=doubles, actor=actor, progress=progress
    )
    done.images_added, done.images_existing = report.images_added, report.images_existing
    done.rejected_files = report.rejected_files
    named = {match.image_id for match in checked.matched}
    left = project.images.filter(pk__in=report.images).exclude(pk__in=named).order_by("pk")
    done.unmatched_images = list(left.values_list("source_name", flat=True))
    return done


def _is_published(sheet: Path) -> bool:
    return content_hash(sheet.read_bytes().replace(b"\r\n", b"\n")) == SHEET_SHA256


def _say_published(upload: Upload) -> None:
    """Say with the files of the published study what its annotation file does not tell."""
    files = list(upload.files.all())
    for file in files:
        path = PurePosixPath(file.name)
        group = PROMPT_GROUPS.get(normal_form(path.parent.name))
        said = {"prompt_group": group, "number": MISNUMBERED.get(path.stem)}
        say(file, {name: value for name, value in said.items() if value}, {})
    with write_transaction():
        save_rows(files, ["attributes"])


def _stored(upload: Upload, actor: User | None, known: dict[str, int]) -> StudyImport:
    """Read and store an upload; return what became of its files. `known` are images by their SHA-256."""
    kept = False
    try:
        read_now(upload, actor)
        if upload.files.filter(state=State.READY).exists():
            store_now(upload, actor)
        report = StudyImport()
        rows = upload.files.order_by("pk").values_list("name", "state", "problem", "sha256", "image_id")
        for name, state, problem, sha256, image in rows:
            if state == State.STORED:
                report.images_added += 1
                report.images.add(image)
            elif state == State.DUPLICATE and sha256 in known:
                report.images_existing += 1
                report.images.add(known[sha256])
            elif problem:
                reason = problem.removeprefix(f"{shown_name(name)}: ").rstrip(".")
                report.rejected_files.append(RejectedFile(name, reason))
        kept = report.images_added > 0
        return report
    finally:
        if not kept:
            close(upload)


def images_of(folder: Path) -> Path:
    """Return the folder of a study's images. Raises StudyRefused if it is missing."""
    images = folder / IMAGES
    try:
        if not folder.exists():
            raise StudyRefused(f"There is no folder {folder}.")
        if not images.is_dir():
            raise StudyRefused(f"{folder} has no folder “{IMAGES}” (expected images/GENERATOR/PROMPT/FILE).")
    except OSError as error:
        raise StudyRefused(f"{folder} cannot be read: {error.strerror}.") from error
    return images


def _there(folder: Path, name: str) -> Path | None:
    """Return a file of the study, or None. Raises StudyRefused for a link out of the folder."""
    path = folder / name
    if not path.exists():
        return None
    if not path.resolve().is_relative_to(folder.resolve()):
        raise StudyRefused(f"{name} links to a file outside the study's folder.")
    return path


def _sheet_of(path: Path) -> Sheet:
    try:
        return read_answers(path)
    except OSError as error:
        raise StudyRefused(
            f"{path.name} cannot be read at the moment: {error.strerror or error}. Try again later."
        ) from error


def _layout(images: Path) -> str:
    """Return the pattern of a study's names: with the last number of each, if most have one."""
    stems = [path.stem for path in images.rglob("*") if path.is_file()]
    numbered = sum(any(each in "0123456789" for each in stem) for stem in stems)
    return _NUMBERED if 2 * numbered > len(stems) else _PLAIN
