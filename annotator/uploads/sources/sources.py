"""Sources of an upload's files that are read in place: their interface, folders and single files.

Only commands name sources (`Upload.choices["source"]`), never pages.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


class SourceRefused(Exception):
    """A source that cannot be read."""


@dataclass(frozen=True)
class Found:
    """One file of a source: its path below it, with slashes, and its size in bytes."""

    name: str
    size: int


class FileSource(Protocol):
    """Files outside the upload's own storage."""

    def files(self) -> Iterator[Found]:
        """Yield every file, sorted by name if that is cheap. Raises SourceRefused."""

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading. Raises OSError."""

    def path(self, name: str) -> Path:
        """Return the local path of a file, fetched if necessary. Raises OSError."""

    def close(self) -> None:
        """Release opened or fetched files."""


class Folder:
    """Every file below a folder, except hidden files and links out of it."""

    def __init__(self, path: Path) -> None:
        try:
            self._path = path.resolve(strict=True)
        except (OSError, RuntimeError) as error:
            raise SourceRefused(f"There is no folder {path}.") from error
        if not self._path.is_dir():
            raise SourceRefused(f"{path} is not a folder.")

    def files(self) -> Iterator[Found]:
        """Yield the files in the order of their names. Raises SourceRefused if a folder cannot be read."""
        for place, folders, names in os.walk(self._path, onerror=_raise):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(place, name)
                if not name.startswith(".") and path.is_file() and self._is_inside(path):
                    yield Found(path.relative_to(self._path).as_posix(), path.stat().st_size)

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading. Raises OSError."""
        return self.path(name).open("rb")

    def path(self, name: str) -> Path:
        """Return the path. Raises OSError if it links to a file outside the folder."""
        path = self._path / name
        if not self._is_inside(path):
            raise FileNotFoundError(2, "it links to a file outside the folder", str(path))
        return path

    def close(self) -> None:
        """Do nothing."""

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self._path)
        except (OSError, RuntimeError):  # RuntimeError: circular links
            return False


class SingleFile:
    """One file, such as an archive."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise SourceRefused(f"There is no file {path}.")
        self._path = path.resolve()

    def files(self) -> Iterator[Found]:
        """Yield the file."""
        yield Found(self._path.name, self._path.stat().st_size)

    def open(self, name: str) -> BinaryIO:
        """Open the file for reading. Raises OSError."""
        return self._path.open("rb")

    def path(self, name: str) -> Path:
        """Return the path."""
        return self._path

    def close(self) -> None:
        """Do nothing."""


def _raise(error: OSError) -> None:
    raise SourceRefused(f"{error.filename} cannot be read: {error.strerror}.") from error
