"""Find the files of a study below images/, and refuse those that must not be read."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from annotator.exchange.formats.manifest import MANIFEST_NAME, ManifestEntry
from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import RejectedFile, StudyRefused
from annotator.exchange.which_image import PathIndex
from annotator.images.decoding import UnreadableImage
from annotator.inputs.plain_text import TURNS, turns_text_round
from annotator.work.machine_faults import blames_machine

LONGEST_NAME: Final = 400
_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".webp")
_NOT_OURS: Final = ("Thumbs.db", "desktop.ini", MANIFEST_NAME)


@dataclass(frozen=True)
class StudyFile:
    """One file; `name` is relative to images/ with slashes, `path` is its location."""

    name: str
    path: Path

    @property
    def shown(self) -> str:
        """The name relative to the study's folder, for reports."""
        return f"images/{self.name}"

    @property
    def parts(self) -> tuple[str, ...]:
        """Folders and file name."""
        return PurePosixPath(self.name).parts

    @property
    def stem(self) -> str:
        """The file name without its extension."""
        return PurePosixPath(self.name).stem


def study_folder(folder: Path) -> Path:
    """Return the resolved folder. Raises StudyRefused if it is missing or has no images/."""
    try:
        if not folder.exists():
            raise StudyRefused(f"There is no folder {folder}.")
        if not folder.is_dir():
            raise StudyRefused(f"{folder} is not a folder.")
        if not any(folder.iterdir()):
            raise StudyRefused(f"The folder {folder} is empty.")
        if not (folder / "images").is_dir():
            raise StudyRefused(f"{folder} has no folder “images” (expected images/GENERATOR/PROMPT/FILE).")
    except OSError as error:
        raise StudyRefused(f"{folder} cannot be read: {error.strerror}.") from error
    return folder.resolve()


def find_files(
    folder: Path, entries: Mapping[str, ManifestEntry]
) -> tuple[list[StudyFile], list[RejectedFile], dict[str, ManifestEntry]]:
    """Return the files to import, sorted by name, the refused ones, and the manifest's entries by file.

    `entries` are those of a manifest by the paths that it gives, at any depth. Raises StudyRefused if there
    are no files.
    """
    rejected: list[RejectedFile] = []
    files: list[StudyFile] = []
    walked = list(_walk(folder / "images", rejected))
    named = _by_file(walked, entries, rejected)
    for file in walked:
        reason = _refusal(file, folder, file.name in named)
        if not reason and entries and file.name not in named:
            reason = "no row of the manifest names it"
        if reason:
            rejected.append(RejectedFile(printable(file.shown), reason))
        else:
            files.append(file)
    if not files and not rejected:
        raise StudyRefused(f"There are no images in {folder / 'images'}.")
    return files, rejected, named


def _by_file(
    files: Iterable[StudyFile], entries: Mapping[str, ManifestEntry], rejected: list[RejectedFile]
) -> dict[str, ManifestEntry]:
    """Return the entries by the names of their files; those without a file of their own are rejected."""
    index = PathIndex((file.name, file.name) for file in files)
    named: dict[str, ManifestEntry] = {}
    for path, entry in entries.items():
        agreeing = index.matches(path).agreeing
        reason = "listed in the manifest, but missing"
        if len(agreeing) > 1:
            reason = f"row {entry.row} of the manifest matches {len(agreeing)} files"
        elif agreeing and agreeing[0] in named:
            reason = f"row {entry.row} of the manifest names the file of row {named[agreeing[0]].row}"
        elif agreeing:
            named[agreeing[0]] = entry
            continue
        rejected.append(RejectedFile(f"images/{path}", reason))
    return named


def open_file(file: StudyFile) -> BinaryIO:
    """Open the file for reading.

    Raises UnreadableImage if the file is not allowed or missing, OSError for other faults.
    """
    try:
        return file.path.open("rb")
    except OSError as error:
        if blames_machine(error):
            raise
        raise UnreadableImage(f"cannot be read: {error.strerror}") from error


def file_digest(file: StudyFile) -> str:
    """Return a digest of the content; an unreadable file gets a unique one."""
    try:
        with file.path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return file.name


def _walk(images: Path, rejected: list[RejectedFile]) -> Iterator[StudyFile]:
    def unreadable(error: OSError) -> None:
        name = Path(error.filename).relative_to(images.parent).as_posix()
        rejected.append(RejectedFile(printable(name), f"the folder cannot be read: {error.strerror}"))

    for place, folders, names in os.walk(images, onerror=unreadable):
        folders.sort()
        for name in [*folders]:
            if name.startswith("."):
                folders.remove(name)
            elif Path(place, name).is_symlink():
                folders.remove(name)
                shown = Path(place, name).relative_to(images.parent).as_posix()
                rejected.append(RejectedFile(printable(shown), "a link to a folder is not followed"))
        for name in sorted(names):
            if not name.startswith(".") and name not in _NOT_OURS:
                path = Path(place, name)
                yield StudyFile(path.relative_to(images).as_posix(), path)


def _refusal(file: StudyFile, folder: Path, named: bool) -> str:
    """Return why a file is refused; empty if it is not."""
    try:
        if not file.path.resolve().is_relative_to(folder):
            return "a link to a file outside the study's folder"
        mode = file.path.stat().st_mode
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead to each other
        return f"cannot be read: {getattr(error, 'strerror', None) or 'circular links'}"
    if not stat.S_ISREG(mode):
        return "not a regular file"
    if printable(file.name) != file.name:
        return "the file name has characters that cannot be stored"
    if turns_text_round(file.name):
        return f"the file name {TURNS}"
    if len(file.shown) > LONGEST_NAME:
        return f"the file name is longer than {LONGEST_NAME} characters"
    if file.path.suffix.lower() not in _SUFFIXES:
        return f"the name ends in “{file.path.suffix}”; .png, .jpg, .jpeg and .webp are read"
    if not named and len(file.parts) != 3:
        return "not at images/GENERATOR/PROMPT/FILE, and not in a manifest"
    return ""
