"""What a folder and a bucket have in common: files of an upload that lie somewhere else.

They are read in place; only commands name them (`Upload.choices["source"]`), never a page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


class SourceRefused(Exception):
    """A source that cannot be read; the message says why, for people."""


@dataclass(frozen=True)
class Found:
    """One file of a source: its path below it, with slashes, and its size in bytes."""

    name: str
    size: int


class Source(Protocol):
    """Files that lie somewhere else."""

    def files(self) -> Iterator[Found]:
        """Every file, in the order of the names where that costs nothing. Raises SourceRefused."""

    def open(self, name: str) -> BinaryIO:
        """A file, for reading. Raises OSError."""

    def path(self, name: str) -> Path:
        """Where a file lies on this machine's disk, fetched if need be. Raises OSError."""

    def close(self) -> None:
        """Let go of what was opened or fetched."""
