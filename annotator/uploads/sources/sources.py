"""The interface of sources: files of an upload that are read in place.

Only commands name sources (`Upload.choices["source"]`), never pages.
"""

from __future__ import annotations

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
