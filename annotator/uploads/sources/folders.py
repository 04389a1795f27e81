"""A folder or file of the server as a source of images."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from annotator.uploads.sources.sources import Found, SourceRefused


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
