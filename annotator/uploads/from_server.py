"""Uploads by command, from a folder or a file that the server can read. Pages never name one.

The files are read in place: their places in the upload are links, or copies in an object store. The folder of
a study has images/GENERATOR/PROMPT/FILE, or a manifest, and data/annotations.csv.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Final

from django.conf import settings

from annotator.database.transactions import write_transaction
from annotator.exchange.annotation_files import Progress, read_answers, store_checked
from annotator.exchange.formats.names import LONGEST_NAME, fault_of, normal_form, printable
from annotator.exchange.formats.published import MISNUMBERED, PROMPT_GROUPS, SHEET_SHA256
from annotator.exchange.formats.report import StudyImport, StudyRefused
from annotator.exchange.formats.sheet import Sheet
from annotator.exchange.rows import checked_against
from annotator.images.decoding import content_hash
from annotator.inputs.refusal import Refusal
from annotator.models import Job, Project, Upload, UploadedFile, User
from annotator.uploads.contents import folder_of, link, name_of, remove_folder
from annotator.uploads.naming import SPELLING, problem, say
from annotator.uploads.naming import shown as shown_name
from annotator.uploads.receiving import FROM_SERVER, UploadRefused, row_of
from annotator.uploads.status import save_rows
from annotator.uploads.upload_jobs import request_reading, request_storing
from annotator.work.jobs import cancel_job, run_job

_CHUNK: Final = 500
State: Final = UploadedFile.State


def upload_from(
    *, project: Project, source: str, pattern: str, choices: dict[str, Any], below: str = ""
) -> Upload:
    """Return an upload with a row per file of a folder, or of one file; `below` begins all names.

    Raises UploadRefused, keeping nothing.
    """
    root = Path(source).absolute()
    choices = {**choices, FROM_SERVER: True}
    upload = Upload.objects.create(project=project, pattern=pattern, choices=choices)
    try:
        if not _take_all(upload, root, below):
            raise UploadRefused(f"There are no files in {source}.")
    except OSError as error:
        close(upload)
        raise UploadRefused(f"{error.filename} cannot be read: {error.strerror}.") from error
    except UploadRefused:
        close(upload)
        raise
    return upload


def close(upload: Upload) -> None:
    """Delete an upload without stored files, from its last file to its first, and its folder of links."""
    while pks := list(upload.files.order_by("-pk").values_list("pk", flat=True)[:_CHUNK]):
        with write_transaction():
            upload.files.filter(pk__in=pks).delete()
    upload.delete()
    with suppress(OSError):
        remove_folder(folder_of(upload.public_id))


def read_now(upload: Upload, actor: User | None = None) -> None:
    """Read an upload in this process. Raises UploadRefused with the reason if its job fails."""
    _carry_out(request_reading(upload=upload, actor=actor, send=False))
    upload.refresh_from_db()


def store_now(upload: Upload, actor: User | None = None) -> None:
    """Store the ready files of an upload in this process. Raises as `read_now`."""
    _carry_out(request_storing(upload=upload, actor=actor, sure=True, send=False))


def _carry_out(job: Job) -> None:
    try:
        run_job(job.pk)
    except BaseException:
        # Interrupted: no worker may continue it.
        cancel_job(job=job, actor=None)
        raise
    job.refresh_from_db()
    if job.status != Job.Status.DONE:
        raise UploadRefused(job.error or "The job was cancelled.")


def _take_all(upload: Upload, root: Path, below: str) -> int:
    taken = 0
    paths = _files_below(root)
    while chunk := list(islice(paths, _CHUNK)):
        taken += len(chunk)
        if taken > settings.MAX_UPLOAD_FILES:
            raise UploadRefused(f"More than {settings.MAX_UPLOAD_FILES:,} files. Import them in parts.")
        rows = [_linked(upload, f"{below}{name}", path) for name, path in chunk]
        with write_transaction():
            UploadedFile.objects.bulk_create(rows, ignore_conflicts=True)
    return taken


def _linked(upload: Upload, name: str, path: Path) -> UploadedFile:
    if fault := fault_of(name):
        shown = printable(name)[-LONGEST_NAME:]
        words = problem(f"Ignored: {fault}.")
        return UploadedFile(upload=upload, name=shown, size=0, state=State.REFUSED, problem=words)
    with path.open("rb") as file:
        start = file.read(4)
    row = row_of(upload, name, path.stat().st_size, start)
    if row.state == State.RECEIVED:
        link(path, name_of(row))
    return row


def _files_below(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield names and real paths, sorted, without hidden files and links that lead out of the folder."""
    if root.is_file():
        yield root.name, root.resolve()
        return
    inside = root.resolve(strict=True)
    for place, folders, names in os.walk(inside, onerror=_raise):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            real = path.resolve()
            if not name.startswith(".") and real.is_file() and real.is_relative_to(inside):
                yield path.relative_to(inside).as_posix(), real


def _raise(error: OSError) -> None:
    raise error


IMAGES: Final = "images"
SHEET: Final = "data/annotations.csv"
MANIFEST: Final = "manifest.csv"
_NUMBERED: Final = "{generator}/{prompt}/{*}{number}{*}"
_PLAIN: Final = "{generator}/{prompt}/{*}"


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
        text = sheet_path.read_bytes().replace(b"\r\n", b"\n") if sheet_path is not None else b""
        if content_hash(text) == SHEET_SHA256:
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
                report.rejected_files.append({"file": name, "reason": reason})
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
